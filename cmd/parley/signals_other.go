//go:build !wasip1

package main

import (
	"os"
	"os/signal"
	"syscall"
)

func notifyOfSignals(signals chan<- os.Signal) { signal.Notify(signals, os.Interrupt, syscall.SIGTERM) }
