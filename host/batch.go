package host

import (
	"context"
	"fmt"
	"reflect"

	"github.com/parley-rpc/parley/core"
)

// BatchItem is one member of a batch, made by BatchCall or BatchNotification. It may be sent again
// once Batch has returned.
type BatchItem struct {
	// Err is what became of it, once Batch has returned: what Call would return; of a notification
	// only that the batch was refused.
	Err error

	method       string
	params       any
	notification bool
	into         any
	options      callOptions
}

// BatchCall is a call. Its result is stored where into points, as by Call, or dropped where into is
// nil; a *json.RawMessage takes it as it is. Another into than a pointer panics. The options are
// those of Call; each call has a budget of its own.
func BatchCall(method string, params, into any, opts ...CallOption) *BatchItem {
	if into != nil && reflect.TypeOf(into).Kind() != reflect.Pointer {
		panic(fmt.Sprintf("host: the result of %q cannot be stored in a %T: it is no pointer", method, into))
	}
	it := &BatchItem{method: method, params: params, into: into}
	for _, opt := range opts {
		it.options = opt(it.options)
	}
	return it
}

// BatchNotification is a notification.
func BatchNotification(method string, params any) *BatchItem {
	return &BatchItem{method: method, params: params, notification: true}
}

// Batch sends several calls and notifications as one frame and returns once every call has its
// outcome (CALL-9): nil where all succeeded, else the first failure in the order of the items; each
// has its own in Err. While there is no room for the frame the shortest budget counts for all, and
// where the frame is refused nothing is written and every item has that error. Only profile plain
// has batches: elsewhere it is ErrUnsupported.
func (p *Peer) Batch(ctx context.Context, items ...*BatchItem) error {
	calls, err := p.sendBatch(ctx, items)
	if err != nil {
		for _, it := range items {
			it.Err = err
		}
		return err
	}
	for i, it := range items {
		if it.notification {
			continue
		}
		p.await(ctx, calls[i].id, calls[i].call, it.options)
		result, err := p.outcome(ctx, it.method, calls[i].call)
		p.freeCall(calls[i].call)
		if err == nil && it.into != nil {
			err = decodeResult(p.codec, it.method, result, it.into)
		}
		it.Err = err
	}
	for _, it := range items {
		if it.Err != nil {
			return it.Err
		}
	}
	return nil
}

// batchCall is a call of a batch that was accepted.
type batchCall struct {
	id   core.CallID
	call *pendingCall
}

// sendBatch returns what belongs to each item; nothing to a notification.
func (p *Peer) sendBatch(ctx context.Context, items []*BatchItem) ([]batchCall, error) {
	spelled := make([]core.BatchItem, len(items))
	soonest := core.Never
	for i, it := range items {
		params, err := encodeParams(p.codec, "batch", it.method, it.params)
		if err != nil {
			return nil, err
		}
		due, err := p.due(ctx, it.options)
		if err != nil {
			return nil, p.failed(ctx, "batch", it.method, "", err)
		}
		soonest = min(soonest, due)
		spelled[i] = core.BatchItem{
			Method: it.method, Params: params, Notification: it.notification,
			Options: p.coreOptions(ctx, due, it.options),
		}
	}
	calls := make([]batchCall, len(items))
	ids := make([]core.CallID, len(items))
	err := p.send(ctx, soonest, func(m Machine) error {
		if err := m.Batch(spelled, ids); err != nil {
			return err
		}
		for i, it := range items {
			if !it.notification {
				calls[i] = batchCall{id: ids[i], call: p.newCall(it.options)}
				p.calls[ids[i]] = calls[i].call
			}
		}
		return nil
	})
	if err != nil {
		return nil, p.failed(ctx, "batch", "", "", err)
	}
	return calls, nil
}
