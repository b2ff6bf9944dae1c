package transcript

import "github.com/parley-rpc/parley/core"

// inspect answers with the fields that are named, or with all of them.
func (s *server) inspect(r *Record) error {
	switch r.Op {
	case OpStats:
		stats := s.machine.Stats()
		return s.show(OpStatsAnswer, &stats, r.Settings)
	case OpState:
		state := s.machine.State()
		if err := s.show(OpStateAnswer, &state, r.Settings); err != nil || state.Err == nil {
			return err
		}
		return s.observe(violationRecord(state.Err))
	}
	var snapshot core.Snapshot
	if err := s.machine.Snapshot(&snapshot); err != nil {
		return s.refuse(err)
	}
	if err := s.show(OpSnapshotAnswer, &snapshot, nil); err != nil {
		return err
	}
	if err := showAll(s, OpItem, snapshot.Items); err != nil {
		return err
	}
	if err := showAll(s, OpMethodStats, snapshot.Methods); err != nil {
		return err
	}
	if err := showAll(s, OpMethodDropped, snapshot.Dropped); err != nil {
		return err
	}
	return showAll(s, OpTraced, snapshot.Trace)
}

func (s *server) show(op Op, from any, asked []Setting) error {
	if len(asked) == 0 {
		return s.observe(Record{Op: op, Settings: settingsOf(from)})
	}
	answers, err := ask(from, asked)
	if err != nil {
		return err
	}
	return s.observe(Record{Op: op, Settings: answers})
}

func showAll[T any](s *server, op Op, list []T) error {
	for i := range list {
		if err := s.show(op, &list[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// AddTo adds what the record says to a snapshot, which the first record of an answer empties. It reports whether the
// record belongs to a snapshot.
func (r *Record) AddTo(s *core.Snapshot) (belongs bool, err error) {
	switch r.Op {
	case OpSnapshotAnswer:
		*s = core.Snapshot{Items: s.Items[:0], Methods: s.Methods[:0], Dropped: s.Dropped[:0], Trace: s.Trace[:0]}
		return true, SetFields(s, r.Settings)
	case OpItem:
		s.Items, err = appendFields(s.Items, r.Settings)
	case OpMethodStats:
		s.Methods, err = appendFields(s.Methods, r.Settings)
	case OpMethodDropped:
		s.Dropped, err = appendFields(s.Dropped, r.Settings)
	case OpTraced:
		s.Trace, err = appendFields(s.Trace, r.Settings)
	default:
		return false, nil
	}
	return true, err
}

func appendFields[T any](list []T, settings []Setting) ([]T, error) {
	var entry T
	err := SetFields(&entry, settings)
	return append(list, entry), err
}
