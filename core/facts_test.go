package core

import "testing"

// Facts tells how many facts Next would fetch, so that a host behind a boundary need not ask in vain.
func TestFactsCountsWhatNextFetches(t *testing.T) {
	c := newConn(t, Defaults(ProfilePlain, RoleServer))
	c.Want(2)
	text := `{"jsonrpc":"2.0","method":"a"}` + "\n" + `{"jsonrpc":"2.0","method":"b"}` + "\n"
	n := copy(c.Reserve(len(text)), text)
	if err := c.Commit(n); err != nil {
		t.Fatal(err)
	}
	c.Advance(1)
	told, fetched := c.Facts(), 0
	for range c.Events() {
		fetched++
	}
	if told != fetched || fetched == 0 || c.Facts() != 0 {
		t.Errorf("%d facts told, %d fetched, %d left", told, fetched, c.Facts())
	}
}
