import { accepted, get, put, refused, remove, type Settled } from './settled.ts'

/** Requests about keys and sessions. */

/** The length of the longest value, in bytes. */
const valueMax = 524_288

export const keyMistakes: readonly Settled[] = [
  refused('an index that is no number', ({ mark }) => put(`/v1/kv/${mark}?cas=x`, 'v'), 400, /./),
  refused(
    'a value that is one byte too long',
    ({ mark }) => put(`/v1/kv/${mark}`, 'v'.repeat(valueMax + 1)),
    413,
    /Value exceeds/,
  ),
  refused('flags below zero', ({ mark }) => put(`/v1/kv/${mark}?flags=-1`, 'v'), 400, /./),
  refused('an empty session', ({ mark }) => put(`/v1/kv/${mark}?acquire=`, 'v'), 400, /missing session/),
  refused(
    'a holder that is no session',
    ({ mark }) => put(`/v1/kv/${mark}?acquire=abc`, 'v'),
    400,
    /must be 36 characters/,
  ),
  accepted('a release by what is no session', ({ mark }) => put(`/v1/kv/${mark}?release=abc`, 'v'), /^false/, {
    leaves: 'nothing',
  }),
  refused(
    'a session that never existed',
    ({ mark, other }) => put(`/v1/kv/${mark}?acquire=${other}`, 'v'),
    500,
    /invalid session/,
    { leaves: 'refusal' },
  ),
  refused(
    'two conditions',
    ({ mark, other }) => put(`/v1/kv/${mark}?acquire=${other}&cas=1`, 'v'),
    400,
    /Conflicting flags/,
  ),
  refused('a tree with an index', ({ mark }) => remove(`/v1/kv/${mark}?recurse&cas=1`), 400, /Conflicting flags/),
  refused('no key', () => put('/v1/kv/', 'v'), 400, /Missing key name/),
  refused('no key to delete', () => remove('/v1/kv/'), 400, /Missing key name/),
  refused(
    'an index to wait for that is no number',
    ({ mark }) => get(`/v1/kv/${mark}?index=soon`),
    400,
    /Invalid index/,
  ),
  refused('a wait without a unit', ({ mark }) => get(`/v1/kv/${mark}?index=1&wait=forever`), 400, /Invalid wait time/),
  refused('two consistencies', ({ mark }) => get(`/v1/kv/${mark}?stale&consistent`), 400, /conflicting semantics/),
  refused('an unknown datacenter', ({ mark }) => get(`/v1/kv/${mark}?dc=nowhere`), 500, /No path to datacenter/),
  accepted('a separator with which a key begins', () => get('/v1/kv/?keys&separator=-'), /"-"/, {
    first: ({ mark }) => put(`/v1/kv/-${mark}`, 'v'),
    leaves: 'nothing',
  }),
  refused('an unknown verb', ({ mark }) => transaction([{ Verb: 'swap', Key: mark }]), 409, /unknown KV verb/),
  refused(
    'more operations than a transaction may have',
    ({ mark }) => transaction(Array.from({ length: 65 }, () => ({ Verb: 'set', Key: mark, Value: '' }))),
    413,
    /too many operations/,
  ),
  refused('a transaction that is no list', ({ mark }) => put('/v1/txn', { KV: { Verb: 'set', Key: mark } }), 400, /./),
  refused(
    'a transaction whose second operation fails',
    ({ mark, other }) =>
      transaction([
        { Verb: 'set', Key: mark, Value: '' },
        { Verb: 'get', Key: other },
      ]),
    409,
    /./,
    { leaves: 'refusal' },
  ),
]

function transaction(operations: readonly object[]) {
  return put(
    '/v1/txn',
    operations.map((KV) => ({ KV })),
  )
}

const created = /"ID":"/

export const sessionMistakes: readonly Settled[] = [
  refused('a negative lock delay', session({ LockDelay: '-5s' }), 400, /invalid duration/),
  refused('a lock delay without a unit', session({ LockDelay: 'soon' }), 400, /invalid duration/),
  refused('a lock delay that is a list', session({ LockDelay: [5] }), 400, /LockDelay/),
  accepted('a lock delay of null is the default', session({ LockDelay: null }), created),
  accepted('a lock delay in seconds', session({ LockDelay: 5 }), created),
  // The field keeps an early mistake of clients: a small number is in seconds.
  delayOf(5, 5_000_000_000),
  delayOf(999, 999_000_000_000),
  delayOf(1_000, 1_000),
  delayOf(2_000_000_000, 2_000_000_000),
  delayOf('1m30s', 90_000_000_000),
  delayOf(null, 15_000_000_000),
  accepted('the shortest time to live', session({ TTL: '10s' }), created),
  accepted('the longest time to live', session({ TTL: '86400s' }), created),
  refused('a time to live a millisecond too short', session({ TTL: '9.999s' }), 500, /must be between/),
  refused('a time to live a millisecond too long', session({ TTL: '86400.001s' }), 500, /must be between/),
  refused('a time to live without a unit', session({ TTL: '10' }), 400, /invalid duration/),
  refused('an unknown behaviour', session({ Behavior: 'keep' }), 400, /Invalid Behavior/),
  refused('a check that does not exist', session({ Checks: ['nobody-has-it'] }), 400, /Missing check/, {
    leaves: 'refusal',
  }),
  refused('a node that does not exist', session({ Node: 'nobody' }), 400, /Missing node/, { leaves: 'refusal' }),
  refused(
    'two consistencies of a creation',
    ({ mark }) => put('/v1/session/create?stale&consistent', { Name: mark }),
    400,
    /conflicting semantics/,
  ),
  refused('no session to end', () => put('/v1/session/destroy/'), 400, /Missing session/),
  refused(
    'an ID that is too short',
    ({ mark }) => put(`/v1/session/destroy/${mark.slice(1)}`),
    400,
    /must be 36 characters/,
  ),
  refused('no session to renew', () => put('/v1/session/renew/'), 400, /Missing session/),
  refused(
    'a renewal of a session that never existed',
    ({ mark }) => put(`/v1/session/renew/${mark}`),
    404,
    /not found/,
  ),
  refused('a session with an ID that is too short', () => get('/v1/session/info/abc'), 400, /must be 36 characters/),
  refused('sessions of no node', () => get('/v1/session/node/'), 400, /Missing node name/),
]

/** A lock delay as it is asked for, and as it is shown, in nanoseconds. */
function delayOf(asked: unknown, shown: number): Settled {
  return accepted(
    `a lock delay of ${JSON.stringify(asked)}`,
    ({ made }) => get(`/v1/session/info/${made}`),
    new RegExp(`"LockDelay":${shown}[,}]`),
    { first: session({ LockDelay: asked }), leaves: 'nothing' },
  )
}

function session(members: object): Settled['request'] {
  return ({ mark }) => put('/v1/session/create', { Name: `session ${mark}`, ...members })
}

/** Requests about the consensus group. */
export const serverMistakes: readonly Settled[] = [
  refused('no server to remove', () => remove('/v1/operator/raft/peer'), 400, /Must specify either \?id/),
  refused(
    'a server to remove that is named in two ways',
    ({ mark }) => remove(`/v1/operator/raft/peer?id=${mark}&address=10.9.9.9:8300`),
    400,
    /Must specify only one/,
  ),
  refused(
    'a server to remove that is not there',
    ({ mark }) => remove(`/v1/operator/raft/peer?id=${mark}`),
    400,
    /was not found in the Raft configuration/,
  ),
  refused(
    'an address to remove that no server has',
    () => remove('/v1/operator/raft/peer?address=10.9.9.9:8300'),
    400,
    /was not found in the Raft configuration/,
  ),
  refused(
    'a leader to be that is not there',
    ({ mark }) => put(`/v1/operator/raft/transfer-leader?id=${mark}`),
    400,
    /was not found in the Raft configuration/,
  ),
  refused(
    'settings of autopilot that no one knows',
    () => put('/v1/operator/autopilot/configuration', { CleanupDeadServers: 'perhaps' }),
    400,
    /./,
  ),
  refused(
    'settings of autopilot for an index that is no number',
    () => put('/v1/operator/autopilot/configuration?cas=x', {}),
    400,
    /./,
  ),
]
