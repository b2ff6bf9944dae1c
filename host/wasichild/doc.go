// Package wasichild runs servers that nobody trusts: programs compiled to WASI preview 1, executed by
// wazero inside this process, with pipes as their stdio. Start is child.Start for such a program.
//
// What a guest can reach is its three pipes, the clocks, randomness, the arguments and environment
// that it is given, and the directories that are granted. It has no network, starts nothing, and
// sees nothing of the process around it. A symbolic link inside a grant leads nowhere outside it, and
// a guest can make none. Its linear memory and the files it has open are bounded, and so is what its
// module may ask for before it runs: see LimitError. wazero has no bound of its own for table.grow but
// the maximum that a table declares, so each table gets one: together they hold TableElementsMax
// elements, 8 MiB, and take three times that at most while they grow.
//
// No size says what compiling takes. For a program in Go of 15 MB it is 90 MB, and 43 MB of code that stay;
// for a module of 26 KB that is made to be hard to compile it is 2.8 GB and a minute. So what this process
// takes is looked at meanwhile, 50 times a second, and the module refused beyond Server.CompileBytesMax.
// Nothing stops a compiler inside a function but the end of the process: until it is through with that one,
// nothing else is compiled here. See below.
//
// What is not bounded: what a guest writes to a directory that is not read-only; how long compiling takes,
// unless the context does; and the processor, of which it may use one. A guest that a context or Close can end asks at every loop whether it is to end, which
// makes it several times slower. Two
// shapes of code go through no loop for as long as they like, a tree of calls and a very long
// function; such a guest survives Close, with child.ErrSurvived. Where that matters run it in a
// process of its own, as parley sandbox does: the system stops a process whatever it does, and it
// needs no questions at loops.
//
// Linux and macOS only, as package child; elsewhere nothing is started, with host.ErrUnsupported.
package wasichild
