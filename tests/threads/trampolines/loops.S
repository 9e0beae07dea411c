// Loops that poll, for programs and for a library.
//
// int keeps(const volatile int flags[2]): waits until each of them is not zero, with all registers full. Returns 0 if the registers, the
// processor's flags and the 128 bytes below the stack have stayed as they were. keeps_x87: those of x87, too. Both jumps lead to the same
// page, the second one to the middle of the first trampoline if that were possible.
        .text
.macro fill_xmm
        .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movq %rsp, %xmm\n
        pinsrw $7, %esp, %xmm\n
        pinsrw $3, %esi, %xmm\n
        pinsrw $2, n_\n(%rip), %xmm\n
        .endr
.endm
.macro check_xmm
        .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movq %rsp, %r8
        movq %xmm\n, %r9
        shll $16, %r8d
        shll $16, %r9d
        cmpl %r8d, %r9d
        jne 8f
        pextrw $2, %xmm\n, %r8d
        cmpw n_\n(%rip), %r8w
        jne 8f
        pextrw $7, %xmm\n, %r8d
        cmpw %sp, %r8w
        jne 8f
        .endr
.endm
.macro wait label flag
        stc
        .globl \label
\label:
        pause
        nop
        nop
        nop
        jnc 8f
        cmpq $0, -8(%rsp)
        cmpl $1, \flag(%rdi)
        jc \label
.endm
.macro keep register, number
        movq $0x1122334455660000 + \number, %\register
        addq %rsp, %\register
.endm
.macro check register, number
        subq %rsp, %\register
        movq $0x1122334455660000 + \number, %rax
        cmpq %rax, %\register
        jne 8f
.endm
.macro keeping name, x87
        .globl \name
        .type \name, @function
        .p2align 6
\name:
        .cfi_startproc
        .irp register,rbp,rbx,r12,r13,r14,r15
        pushq %\register
        .cfi_adjust_cfa_offset 8
        .endr
        fill_xmm
        .if \x87
        fldpi
        .endif
        .irp n,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128
        movq %rsp, -\n(%rsp)
        addq $\n, -\n(%rsp)
        .endr
        keep rbx, 3
        keep rcx, 1
        keep rdx, 2
        keep rbp, 5
        keep rsi, 6
        keep r8, 8
        keep r9, 9
        keep r10, 10
        keep r11, 11
        keep r12, 12
        keep r13, 13
        keep r14, 14
        keep r15, 15
        wait \name\()_first_pause 0
        wait \name\()_second_pause 4
        check rbx, 3
        check rcx, 1
        check rdx, 2
        check rbp, 5
        check rsi, 6
        check r8, 8
        check r9, 9
        check r10, 10
        check r11, 11
        check r12, 12
        check r13, 13
        check r14, 14
        check r15, 15
        .irp n,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128
        movq -\n(%rsp), %rax
        subq $\n, %rax
        cmpq %rsp, %rax
        jne 8f
        .endr
        check_xmm
        .if \x87
        fldpi
        fcomip %st(1), %st
        jne 8f
        jp 8f
        fstp %st(0)
        fnstsw %ax
        testl $0x3800, %eax
        jne 7f
        .endif
        xorl %eax, %eax
        jmp 9f
8:
        .if \x87
        fstp %st(0)
        .endif
7:
        movl $1, %eax
9:
        .irp register,r15,r14,r13,r12,rbx,rbp
        popq %\register
        .cfi_adjust_cfa_offset -8
        .endr
        ret
        .cfi_endproc
        .size \name, . - \name
.endm
        keeping keeps, 0
        keeping keeps_x87, 1
        .globl keeps_end
keeps_end:

// long has_no_pause(const volatile int* flag): returns what it has read at last, by the instruction that is replaced.
        .globl has_no_pause, has_no_pause_first
        .type has_no_pause, @function
        .p2align 10
has_no_pause:
        .cfi_startproc
has_no_pause_first:
        movslq (%rdi), %rax
        testl %eax, %eax
        je has_no_pause_first
        ret
        .cfi_endproc
        .size has_no_pause, . - has_no_pause

// void has_fence(const volatile int* flag): by which compilers flush. The instruction is longer than a jump.
        .globl has_fence, has_fence_first
        .type has_fence, @function
        .p2align 10
has_fence:
        .cfi_startproc
has_fence_first:
        lock orq $0, (%rsp)
        cmpl $0, (%rdi)
        je has_fence_first
        ret
        .cfi_endproc
        .size has_fence, . - has_fence

// void has_distance(const volatile int* flag): how Clang loads a global variable. The loop's other instructions depend on no place.
        .globl has_distance, has_distance_first
        .type has_distance, @function
        .p2align 10
has_distance:
        .cfi_startproc
has_distance_first:
        movq nothing(%rip), %rax
        cmpl $0, (%rdi,%rax)
        je has_distance_first
        ret
        .cfi_endproc
        .size has_distance, . - has_distance
        .pushsection .data
nothing: .quad 0
        .popsection

// void does_more(const volatile int* flag): its loop calls a function. void has_nops(the same).
        .globl does_more, does_more_pause, has_nops, has_nops_first
        .type does_more, @function
        .p2align 10
does_more:
        .cfi_startproc
does_more_pause:
        pause
        nop
        nop
        nop
        call 9f
        cmpl $0, (%rdi)
        je does_more_pause
9:      ret
        .cfi_endproc
        .size does_more, . - does_more
        .type has_nops, @function
        .p2align 10
has_nops:
        .cfi_startproc
has_nops_first:
        .rept 8
        nop
        .endr
        cmpl $0, (%rdi)
        je has_nops_first
        ret
        .cfi_endproc
        .size has_nops, . - has_nops

// long has_two(const volatile int* flag): its loop has two instructions that a jump may replace.
        .globl has_two, has_two_first, has_two_second
        .type has_two, @function
        .p2align 10
has_two:
        .cfi_startproc
        jmp has_two_second
        nop
has_two_first:
        movslq (%rdi), %rax
        testl %eax, %eax
        jne 9f
has_two_second:
        movslq (%rdi), %rdx
        testl %edx, %edx
        je has_two_first
9:      ret
        .cfi_endproc
        .size has_two, . - has_two

// void changed_page(const volatile int* flag): the first of some loops in a page of their own, whose last byte nobody uses.
        .globl changed_page
        .type changed_page, @function
        .p2align 12
changed_page:
        .rept 40
        .p2align 4
0:      pause
        nop
        nop
        nop
        cmpl $0, (%rdi)
        je 0b
        ret
        .endr
        .size changed_page, . - changed_page
        .p2align 12

// void ends_page(const volatile int* flag): the two bytes of its pause lie in two pages.
        .globl ends_page, ends_page_pause
        .type ends_page, @function
        .p2align 12
        .fill 4095, 1, 0x90
ends_page_pause:
        pause
        cmpl $0, (%rdi)
        je ends_page_pause
        ret
        .set ends_page, ends_page_pause
        .size ends_page, . - ends_page_pause

// void has_no_place(const volatile int* flag): for the test of a place that is taken; its jump would lead elsewhere than those above.
        .globl has_no_place, has_no_place_pause
        .type has_no_place, @function
has_no_place:
        .cfi_startproc
has_no_place_pause:
        pause
        nop
        cmpl $0, (%rdi)
        je has_no_place_pause
        ret
        .cfi_endproc
        .size has_no_place, . - has_no_place

        .section .rodata
        .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
n_\n:   .short 0x4000 + \n
        .endr
        .section .note.GNU-stack, "", @progbits
