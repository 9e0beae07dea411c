/* As Go's linker marks what it links. Notes of others come before, whose names and texts do not end where the next word begins.
 */
__asm__(".pushsection .note.go.buildid, \"a\", %note\n"
        ".balign 4\n"
        ".long 6, 6, 1\n" /* bytes of the owner's name, bytes of the text, kind */
        ".ascii \"Other\\0\\0\\0before\\0\\0\"\n"
        ".long 4, 4, 4\n"
        ".ascii \"Go\\0\\0none\"\n"
        ".popsection");
