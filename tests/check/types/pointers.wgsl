// Pointer types that no variable and no view could have.
override o = 4;
struct A { x : atomic<u32> }
alias a = ptr<function, atomic<u32>>;         // error invalid_store_type: 'atomic<u32>' cannot be stored in the address space 'function': it contains an atomic
alias b = ptr<private, A>;                    // error invalid_store_type: it contains an atomic
alias c = ptr<function, array<i32>>;          // error invalid_store_type: it contains a runtime-sized array
alias d = ptr<storage, atomic<u32>>;          // error invalid_store_type: needs the access mode 'read_write'
alias e = ptr<storage, bool>;                 // error invalid_store_type: it cannot be shared with the host
alias f = ptr<uniform, vec2<bool>>;           // error invalid_store_type: it cannot be shared with the host
alias g = ptr<function, i32, read>;           // error invalid_access_mode: for the address space 'storage' only, not for 'function'
alias h = ptr<workgroup, i32, read_write>;    // error invalid_access_mode: not for 'workgroup'
alias i = ptr<storage, i32, write>;           // error invalid_access_mode: 'read' or 'read_write', not 'write'
alias j = ptr<function, ptr<function, i32>>;  // error invalid_store_type: it is not made of plain values
alias k = ptr<private, sampler>;              // error invalid_store_type: it is not made of plain values
alias l = ptr<handle, sampler>;               // error unresolved_name: there is no address space named 'handle'
alias m = ptr<private, array<i32, o>>;        // error invalid_store_type: its size is not fixed
alias n = ref<function, i32>;                 // error reserved_word: 'ref'
alias fine1 = ptr<workgroup, array<i32, o>>;
alias fine2 = ptr<storage, A, read_write>;
alias fine3 = ptr<workgroup, A>;
alias fine4 = ptr<uniform, array<u32>>;
alias fine5 = ptr<storage, buffer>;
