// Package sim runs machines against each other, or against an adversary, in a world that is a
// function of one number: the pipes between them, what the pipes do to the bytes, the clock, the
// applications and their moods are all drawn from the seed.
//
// A run is watched from outside. Every input to a machine is recorded as a transcript, and every
// input, event and byte of output is told to a reference model of that one machine, which knows
// the rules and nothing of how the core keeps them. What the model finds is therefore found in the
// transcript alone: it is shrunk by leaving inputs out, and any home of the core can replay it.
package sim
