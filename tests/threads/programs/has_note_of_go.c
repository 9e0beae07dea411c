/* As Go's linker marks what it links. */
__asm__(".pushsection .note.go.buildid, \"a\", %note\n"
        ".balign 4\n"
        ".long 4, 4, 4\n" /* bytes of the owner's name, bytes of the text, kind */
        ".ascii \"Go\\0\\0none\"\n"
        ".popsection");
