import { addHealth, probeSpanMs, wasAsleep } from './health.ts'
import type { MemberRecord } from './member-record.ts'
import { count, emit, note, send, setTimer } from './outbox.ts'
import { beginRound, isAlive, pickMembers } from './roster.ts'
import { type GossipCore, hasCompany, type Probe } from './state.ts'
import { takeSuspect } from './suspicion.ts'

/** Members asked to ping one that does not answer. SWIM's k; memberlist: `IndirectChecks`. */
const indirectProbes = 3
/** From these protocol versions on a member sends nacks, and answers pings over a stream. */
const nackVersion = 4
const streamPingVersion = 3

/** The one timer of the probe cycle: the next member's turn, or the end of a stage of the present probe. */
export function probeTimerFired(gossip: GossipCore, dueMs: number): void {
  const { probe } = gossip
  if (probe === undefined || probe.phase === 'answered') return probeNext(gossip)
  if (probe.target.state === 'dead') return abandon(gossip, probe)
  if (wasAsleep(gossip, 'probe', dueMs)) {
    addHealth(gossip, 1)
    return probeNext(gossip)
  }
  if (probe.phase === 'direct') directTimedOut(gossip, probe)
  else failed(gossip, probe)
}

/** Round-robin over the shuffled roster: every member within two rounds (SWIM, section 4.3). */
function probeNext(gossip: GossipCore): void {
  gossip.probe = undefined
  // An agent that has left suspects no member. A pool of one has no member to probe.
  if (gossip.self.state === 'dead' || !hasCompany(gossip)) return
  const target = nextTarget(gossip)
  if (target !== undefined) return ping(gossip, target)
  if (hasCompany(gossip)) setTimer(gossip, 'probe', gossip.turn.nowMs + gossip.options.timing.probeIntervalMs)
}

function nextTarget(gossip: GossipCore): MemberRecord | undefined {
  for (let seen = 0; seen <= gossip.roster.length; seen++) {
    if (gossip.probeNext >= gossip.roster.length) beginRound(gossip)
    const member = gossip.roster[gossip.probeNext++]
    if (member !== undefined && member !== gossip.self && member.state !== 'dead') return member
  }
  return undefined
}

function ping(gossip: GossipCore, target: MemberRecord): void {
  const { nowMs } = gossip.turn
  const { probeTimeoutMs, probeIntervalMs } = gossip.options.timing
  const spanMs = probeSpanMs(gossip)
  if (spanMs > probeIntervalMs) count(gossip, 'memberlist.degraded.probe')
  const sequence = nextSequence(gossip)
  gossip.probe = {
    target,
    incarnation: target.incarnation,
    sequence,
    startedMs: nowMs,
    deadlineMs: nowMs + spanMs,
    phase: 'direct',
    nacksExpected: 0,
    nacks: 0,
    streamAnswered: false,
  }
  const message = { kind: 'ping', sequence, node: target.name } as const
  const saysNothing = target.state === 'alive' || gossip.options.without?.buddy === true
  if (saysNothing) send(gossip, target.address, message)
  else {
    // The target learns at once what it has to refute (Lifeguard, section 4.C: buddy system).
    const { name: node, incarnation } = target
    const suspect = { kind: 'suspect', incarnation, node, from: gossip.self.name } as const
    emit(gossip, { kind: 'send', to: target.address, messages: [message, suspect] })
  }
  setTimer(gossip, 'probe', nowMs + Math.min(probeTimeoutMs, spanMs))
}

/**
 * The target did not answer in time: other members ping it as well, and a stream is tried beside them (SWIM, section
 * 3.1; memberlist `probeNode`).
 */
function directTimedOut(gossip: GossipCore, probe: Probe): void {
  const { target, sequence, deadlineMs } = probe
  note(gossip, 'debug', 'memberlist', 'Failed ping (timeout reached)', { name: target.name })
  const leftMs = Math.floor(deadlineMs - gossip.turn.nowMs)
  if (leftMs < 1) return failed(gossip, probe)
  probe.phase = 'indirect'
  for (const peer of pickMembers(gossip, indirectProbes, isAlive, target)) {
    const nack = peer.versions.protocolMax >= nackVersion
    if (nack) probe.nacksExpected++
    const { address, name: node } = target
    send(gossip, peer.address, { kind: 'indirect-ping', sequence, target: address, node, nack })
  }
  if (target.versions.protocolMax >= streamPingVersion) {
    emit(gossip, { kind: 'stream-ping', to: target.address, node: target.name, sequence, timeoutMs: leftMs })
  }
  setTimer(gossip, 'probe', deadlineMs)
}

/**
 * Ends the probe of a member that others have found dead meanwhile. In particular, a member that left is not probed.
 */
function abandon(gossip: GossipCore, probe: Probe): void {
  gossip.probe = undefined
  setTimer(gossip, 'probe', probe.startedMs + gossip.options.timing.probeIntervalMs)
}

/** Handles an acknowledgement. True if it answers the present probe. */
export function probeAcked(gossip: GossipCore, sequence: number, payload: Uint8Array): boolean {
  const { probe } = gossip
  if (probe === undefined || probe.sequence !== sequence || probe.phase === 'answered') return false
  // An indirect or late acknowledgement says nothing about the round-trip time.
  if (probe.phase === 'direct') placeBy(gossip, probe, payload)
  succeeded(gossip, probe)
  setTimer(gossip, 'probe', probe.startedMs + gossip.options.timing.probeIntervalMs)
  return true
}

function placeBy(gossip: GossipCore, { target, startedMs }: Probe, payload: Uint8Array): void {
  if (gossip.options.coordinates === undefined || payload.length === 0) return
  const rttSeconds = (gossip.turn.nowMs - startedMs) / 1_000
  if (rttSeconds === 0) count(gossip, 'serf.coordinate.zero-rtt')
  const other = gossip.options.coordinates.decode(payload)
  if (other === undefined || !gossip.vivaldi.learn(target.name, other, rttSeconds, gossip.turn.random)) {
    return count(gossip, 'serf.coordinate.rejected')
  }
  if (gossip.members.get(target.name) === target) gossip.coordinates.set(target.name, other)
}

function succeeded(gossip: GossipCore, probe: Probe): void {
  probe.phase = 'answered'
  addHealth(gossip, -1)
}

/** A member that we asked to ping the target is healthy, and got no answer either. */
export function probeNacked(gossip: GossipCore, sequence: number): void {
  const { probe } = gossip
  if (probe?.sequence === sequence && probe.nacks < probe.nacksExpected) probe.nacks++
}

/** The result counts only at the deadline: an answer by packet may come first, and a lack of one is worth a warning. */
export function streamPingFinished(gossip: GossipCore, sequence: number, answered: boolean): void {
  const { probe } = gossip
  if (probe?.sequence === sequence && answered) probe.streamAnswered = true
}

/**
 * No acknowledgement arrived, so this agent suspects the target. If members that owe a nack stayed silent, or there
 * were none to ask, the fault may be here (Lifeguard, section 4.A). The next probe begins at once, because its time has
 * come.
 */
function failed(gossip: GossipCore, probe: Probe): void {
  const { target, incarnation, nacksExpected, nacks } = probe
  const { name } = target
  if (probe.streamAnswered) {
    const text = 'Was able to connect but other probes failed, network may be misconfigured'
    note(gossip, 'warn', 'memberlist', text, { name })
    succeeded(gossip, probe)
  } else {
    addHealth(gossip, nacksExpected > 0 ? nacksExpected - nacks : 1)
    if (gossip.members.get(name) === target) {
      note(gossip, 'info', 'memberlist', 'Suspect has failed, no acks received', { name })
      takeSuspect(gossip, { kind: 'suspect', incarnation, node: name, from: gossip.self.name })
    }
  }
  probeNext(gossip)
}

/** The next number of a ping: a count of 32 bits, as on the wire. */
export function nextSequence(gossip: GossipCore): number {
  gossip.sequence = (gossip.sequence + 1) >>> 0
  return gossip.sequence
}
