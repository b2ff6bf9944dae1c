// Package python holds a program in Python that drives the core over pipes, and the test that runs it.
package python
