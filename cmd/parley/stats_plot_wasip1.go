package main

import "github.com/parley-rpc/parley/internal/capture"

// writePlot is left out: the fonts alone would double the module, and no capture can be read here.
func writePlot(string, *capture.Stats) error { return usageError{"--plot: not in a sandbox"} }
