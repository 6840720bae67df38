import { isVoter } from './configuration.ts'
import { emit, setElectionTimer } from './outbox.ts'
import { forgetLeader } from './roles.ts'
import { configurationOf, type RaftCore } from './state.ts'
import type { ServerId } from './types.ts'

/**
 * This server has seen itself that the process of `gone` is no more: its connection with it closed, and dialling it
 * again was refused. If that is the leader it keeps to, it keeps to nobody from now on, and stands soon. This is the
 * one way, beside a transfer, in which loyalty ends before its time, and the leader's lease counts on loyalty
 * (`holdsLease`), so:
 * 1. A lease is held by a process, in its memory. A server listens on its RPC port for as long as its process may
 *    answer requests: the port is opened before the log is read, and closed after consensus has stopped. A machine that
 *    refuses a connection there says that no process has the port. So the lease of the leader that ran there is over. A
 *    connection that only broke says nothing of the kind (the dial succeeds), nor does a machine that is silent (the
 *    dial is not answered): then loyalty runs its time.
 * 2. It says so of that one server. The loyalty that ends is to the leader whose process it was, and to no other: of a
 *    living leader, another server's death says nothing. Hence the comparison below; evidence that comes late, when
 *    another leads, falls away.
 * 3. It binds no other server. What this server has seen ends its own loyalty and goes into no message; a server that
 *    still hears the leader goes on ignoring candidates, so no leader is elected before a majority has lost the old
 *    one. A server that is wrong (a firewall refuses in the leader's place) asks in vain, in a pre-vote, which moves no
 *    term.
 * 4. The restarted process, should it be back by now, leads nothing before a new election, and is loyal itself for a
 *    full timeout (`start`). It answers with the vote that it wrote down.
 * 5. The rules for votes, terms and logs are unchanged. If 1 were wrong for a whole majority at once, two servers would
 *    believe that they lead, as after any partition; reads by lease could be as old as the lease is long, which is what
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
