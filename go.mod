module github.com/parley-rpc/parley

go 1.26
