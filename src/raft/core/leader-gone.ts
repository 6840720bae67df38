import { isVoter } from './configuration.ts'
import { emit, setElectionTimer } from './outbox.ts'
import { forgetLeader } from './roles.ts'
import { configurationOf, type RaftCore } from './state.ts'
import type { ServerId } from './types.ts'

/**
 * This server has itself seen that the process of `gone` has ended: its connection with it closed, and dialling it
 * again was refused. If that is the leader to which it is loyal, it is loyal to no server from now on, and stands for
 * election soon. This is the only way, besides a transfer, in which loyalty ends before its time. The leader's lease
 * relies on loyalty (`holdsLease`), so the argument is:
 * 1. A lease is held by a process, in its memory. A server listens on its RPC port for as long as its process may
 *    answer requests: the port is opened before the log is read, and closed after Raft has stopped. A machine that
 *    refuses a connection there shows that no process has the port, so the lease of the leader that ran there is over.
 *    A connection that only broke does not show that (the dial succeeds), nor does a silent machine (the dial is not
 *    answered): loyalty then lasts its full time.
 * 2. It shows that about one server. The loyalty that ends is to the leader whose process it was, and to no other:
 *    another server's death says nothing about a living leader. Hence the comparison below; late evidence, when another
 *    server leads, has no effect.
 * 3. It binds no other server. What this server has seen ends its own loyalty and is sent in no message; a server that
 *    still hears the leader continues to ignore candidates, so no leader is elected before a majority has lost the old
 *    one. A server that is wrong (a firewall refuses in the leader's place) asks in vain, in a pre-vote, which changes
 *    no term.
 * 4. The restarted process, if it is back by now, leads nothing before a new election, and is itself loyal for a full
 *    timeout (`start`). It answers with the vote on its disk.
 * 5. The rules for votes, terms and logs are unchanged. If 1 were wrong for a whole majority at once, two servers would
 *    believe that they lead, as after any partition; reads by lease could be as stale as the lease is long, which
 *    `default` reads allow; writes and `consistent` reads need a quorum, and are safe.
 */
export function leaderGone(raft: RaftCore, gone: ServerId, nowMs: number): void {
  const { role } = raft
  if (role.kind !== 'follower' || role.leader !== gone) return
  raft.loyalUntilMs = nowMs
  emit(raft, { kind: 'note', level: 'info', text: 'the process of the leader is gone', fields: { leader: gone } })
  forgetLeader(raft)
  if (!isVoter(configurationOf(raft), raft.id)) return
  raft.hurriedRounds = 0
  setElectionTimer(raft, raft.timing.heartbeatTimeoutMs)
}
