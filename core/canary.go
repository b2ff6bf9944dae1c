package core

// bug is one bug that a build with the tag canary can plant, so that the simulation can be tested:
// a check that finds none of them proves nothing. In every other build planted is false and extra
// is 0, and the compiler drops both.
type bug uint8

const (
	bugNone bug = iota
	bugLateAnswerDelivered
	bugWithdrawnWritten
	bugNoticeLost
	bugOneCallMore
	bugAbandonedReused
	bugOneByteMore
	bugNoWakeup
	bugBlockTooEarly
	bugAnsweredTwice
	bugCancelledAnswered
	bugDuplicateServed
	bugWriteBesideReads
	bugOneMoreRuns
	bugBackgroundOvertakes
	bugNoBarrier
	bugBodyNotCopied
	bugOneMessageMore
	bugCommaKept
)

// extra makes a limit off by one.
func extra(b bug) int {
	if planted(b) {
		return 1
	}
	return 0
}
