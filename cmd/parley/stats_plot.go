//go:build !wasip1

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/capture/plot"
)

// writePlot draws a picture into a file. The file that is there is replaced once the picture is made.
func writePlot(path string, stats *capture.Stats) error {
	if err := checkPlotName(path); err != nil {
		return err
	}
	var picture bytes.Buffer
	err := plot.WriteSVG(&picture, stats)
	if errors.Is(err, plot.ErrNothing) {
		return usageError{"--plot: " + err.Error()}
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, picture.Bytes(), 0o644)
}

func checkPlotName(path string) error {
	if filepath.Ext(path) != ".svg" {
		return usageError{"--plot " + path + ": want a name that ends in .svg"}
	}
	return nil
}
