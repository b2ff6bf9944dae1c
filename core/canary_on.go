//go:build canary

package core

// theBug is the one that is planted now. A build with the tag canary is for one goroutine.
var theBug bug

func planted(b bug) bool { return b == theBug }

// Canaries names the bugs that Plant knows, each by what it does.
var Canaries = [...]string{
	bugLateAnswerDelivered: "a late answer is delivered",
	bugWithdrawnWritten:    "a withdrawn frame is written",
	bugNoticeLost:          "a cancel notice that finds no room is lost",
	bugOneCallMore:         "one call more than CallsMax is open",
	bugAbandonedReused:     "an abandoned id is accepted again",
	bugOneByteMore:         "a frame of one byte more than FrameBytesMax is sent",
	bugNoWakeup:            "nobody is told that there is room again",
	bugBlockTooEarly:       "a block is handed out before the last one is written",
	bugAnsweredTwice:       "a request is answered twice",
	bugCancelledAnswered:   "a cancelled request is answered where it must not be",
	bugDuplicateServed:     "two live requests have one id",
	bugWriteBesideReads:    "a write runs beside reads",
	bugOneMoreRuns:         "one message more than RunningMax runs",
	bugBackgroundOvertakes: "background work overtakes a write",
	bugNoBarrier:           "a message overtakes initialize",
	bugBodyNotCopied:       "an answer is not copied out of the receive buffer",
	bugOneMessageMore:      "one message more than MessagesMax waits",
	bugCommaKept:           "a batch keeps the comma of a member withdrawn",
}

// Plant plants the bug with this number in Canaries, and no other; 0 plants none.
func Plant(number int) { theBug = bug(number) }
