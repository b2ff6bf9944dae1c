package wasmhost

import (
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
)

// caches holds one compilation cache a directory for the life of the process, so that a module is
// compiled once however many engines use it. Guarded by compiling. They are never closed: code
// compiled through a cache needs it open.
var caches = map[string]wazero.CompilationCache{}

// compilationCache returns the cache of a directory, or the one in memory where there is none or
// it cannot be used.
func compilationCache(dir string) wazero.CompilationCache {
	if cache, ok := caches[dir]; ok {
		return cache
	}
	cache := wazero.NewCompilationCache()
	if dir != "" {
		if onDisk, err := openCacheDir(dir); err == nil {
			cache = onDisk
		}
	}
	caches[dir] = cache
	return cache
}

func openCacheDir(dir string) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return wazero.NewCompilationCacheWithDir(dir)
}

// defaultCacheDir is "" on a system without a place for caches.
func defaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "parley")
}
