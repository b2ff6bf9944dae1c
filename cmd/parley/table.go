package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// table prints rows under a heading, in columns. Cells are foreign text, made fit to be shown (REQ-6).
func table(w io.Writer, heading string, rows [][]string) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{strings.Fields(heading)}, rows...) {
		for i, cell := range row {
			if cell = oneLine(cell); cell == "" {
				cell = "-"
			}
			if i > 0 {
				fmt.Fprint(columns, "\t") // a tabwriter keeps its error for Flush
			}
			fmt.Fprint(columns, cell)
		}
		fmt.Fprintln(columns)
	}
	return columns.Flush()
}

// count shows how many there are of something: 1 message, 8 messages.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// duration shows milliseconds in three digits: 0, 0.42ms, 31.4ms, 2.50s, 3m07s, 12h04m.
func duration(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case ms == 0:
		return "0"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2fms", ms)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1fms", ms)
	case d < time.Second:
		return fmt.Sprintf("%.0fms", ms)
	case d < 10*time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// byteCount shows a size in three or four digits: 812B, 31.4KiB, 2.1MiB.
func byteCount(bytes uint64) string {
	const units = "KMGTPE"
	if bytes < 1024 {
		return fmt.Sprintf("%dB", bytes)
	}
	size, unit := float64(bytes)/1024, 0
	for size >= 1000 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	return fmt.Sprintf("%.1f%ciB", size, units[unit])
}
