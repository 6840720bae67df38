import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

/**
 * Files whose lines no outside party can cause as often as it likes, each with the reason. Every other line of the log
 * is written with a `Sampling` (src/env/observe.ts), or stands in `single`.
 */
const own: Readonly<Record<string, string>> = {
  'src/agent/access/asked-tokens.ts': 'when servers cannot be asked, once until they can',
  'src/agent/access/mode.ts': 'once in the life of a datacenter, and tries of this agent',
  'src/agent/access/report.ts': 'every ten seconds, of a bounded number of things',
  'src/agent/requests/asking/calls.ts': 'once in a time of its own',
  'src/agent/assembly/joins.ts': 'start of this agent',
  'src/agent/assembly/leave-and-reload.ts': 'leave and reload of this agent',
  'src/agent/local/': 'for services and checks of this agent, by those who may change them',
  'src/agent/mesh/': 'at the pace at which this agent renews leaves',
  'src/agent/local/coordinate-sync.ts': 'at an interval of this agent',
  'src/agent/pool/flood-join.ts': 'at an interval of this agent',
  'src/agent/pool/joining.ts': 'for addresses of the configuration or of who may join, with pauses',
  'src/agent/pool/member-snapshot.ts': 'of the disk of this agent',
  'src/agent/pool/pool-keyring.ts': 'of the disk of this agent',
  'src/agent/servers/autopilot-settings.ts': 'a try of the leader, with pauses',
  'src/agent/servers/leadership.ts': 'a try of the leader, with pauses',
  'src/agent/servers/server-leave.ts': 'leave of this agent',
  'src/agent/telemetry/': 'of where this agent sends metrics, and of its file descriptors, at each change',
  'src/agent/syslog/': 'of how this agent’s own lines reach syslog: a trial each five seconds, drops once a second',
  'src/cli-rpc/listener.ts': 'start of this agent',
  'src/cli/': 'of the operator at the terminal, and signals',
  'src/dns/listeners.ts': 'start of this agent',
  'src/features/acl/duty.ts': 'tries of the leader, with pauses',
  'src/features/acl/system/migration.ts': 'rounds of the leader',
  'src/features/acl/replication/replication-duty.ts': 'rounds of the leader',
  'src/features/acl/system/system-endpoints.ts': 'of the disk of this server',
  'src/features/connect/': 'steps of the leader, which operators begin',
  'src/features/coordinate/duty.ts': 'rounds of the leader',
  'src/features/kv/': 'rounds of the leader',
  'src/features/session/duty.ts': 'rounds of the leader',
  'src/features/snapshot/': 'of restores and snapshots, for which one must be a manager',
  'src/host/log-sinks.ts': 'of the disk of this agent',
  'src/program/': 'of the configuration of this agent: its watches and proxies',
  'src/proxy/following.ts': 'questions of this proxy to its agent, with pauses, and renewals of its leaf',
  'src/proxy/identity.ts': 'at the pace at which leaves are renewed',
  'src/proxy/mesh-proxy.ts': 'when the configuration of this proxy changes',
  'src/proxy/registration.ts': 'when the state of the registration changes',
  'src/raft/opening/accepted-loss.ts': 'start of this server',
  'src/raft/driver/applier.ts': 'of snapshots that were installed whole',
  'src/raft/driver/role-news.ts': 'of terms, each of which some server has won or sought',
  'src/raft/driver/snapshotting.ts': 'of the disk of this server',
  'src/raft/driver/stalled-disk.ts': 'of the disk of this server',
  'src/raft/driver/without-room.ts': 'of the disk of this server, at each change',
  'src/raft/opening/outage.ts': 'of the disk and the start of this server',
  'src/raft/log/': 'of the disk of this server',
  'src/raft/opening/examining.ts': 'start of this server',
  'src/raft/opening/storage.ts': 'start of this server',
}

/** Lines of files that have others, by a part of the call. */
const single: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/agent/servers/introductions.ts': {
    "'waiting before forming a cluster'": 'once for each number of servers, before there is a cluster',
    "'found the expected number of servers": 'once',
  },
  'src/agent/servers/member-records.ts': {
    "'removed a server that left'": 'of servers of the Raft configuration',
    "'a server that left could not be removed yet: retrying'": 'of servers of the Raft configuration, in rounds',
  },
  'src/agent/servers/server-membership.ts': {
    "'changed the Raft configuration'": 'a committed change',
    "'change refused for now'": 'of one change at a time, in rounds of the leader',
  },
  'src/agent/local/remote-exec.ts': { "'remote exec', {": 'each command that runs here is for the operator to audit' },
  'src/dns/face.ts': { "'debug', 'dns', 'request'": 'each request is what the operator asks for with this level' },
  'src/http/route-call.ts': {
    "'debug', 'http', 'request'": 'each request is what the operator asks for with this level',
  },
  'src/gossip/driver/gossip-pool.ts': { "'the new tags exceed the size limit": 'of this agent’s own tags' },
  'src/host/http-server.ts': { "'a listener did not close properly'": 'the end of a listener' },
  'src/host/tcp.ts': { "'listening'": 'the start of a listener' },
  'src/raft/driver/effects.ts': { "'configuration', {": 'of committed configurations' },
  'src/raft/driver/raft-server.ts': { "'this server cannot go on'": 'once' },
}

interface LogCall {
  readonly text: string
  readonly sampled: boolean
}

/** Calls of `write` of something called a log, whatever line they stand on. */
function logCalls(source: string): readonly LogCall[] {
  const found: LogCall[] = []
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'write' &&
      /(^|[.#])log$/i.test(node.expression.expression.getText()) &&
      // That of Raft's own log takes one thing and what to do then.
      node.arguments.length > 2
    ) {
      found.push({ text: node.getText().replace(/\s+/g, ' '), sampled: node.arguments.length > 4 })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('a.ts', source, ts.ScriptTarget.ESNext, true))
  return found
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('src', file))
  .sort()
const callsIn = new Map(files.map((file) => [file, logCalls(readFileSync(file, 'utf8'))]))

describe('a line of the log', () => {
  it('that an outside party can cause is sampled; each other has its reason here', () => {
    const without: string[] = []
    for (const [file, calls] of callsIn) {
      if (Object.keys(own).some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place))) continue
      const reasons = Object.keys(single[file] ?? {})
      for (const { text, sampled } of calls) {
        if (!sampled && !reasons.some((reason) => text.includes(reason))) without.push(`${file}: ${text}`)
      }
    }
    expect(without).toEqual([])
  })

  it('has no reason here that is of no use any more', () => {
    const calls = [...callsIn].flatMap(([file, found]) => found.map((call) => ({ file, ...call })))
    const unsampled = calls.filter(({ sampled }) => !sampled)
    for (const place of Object.keys(own)) {
      expect(
        unsampled.some(({ file }) => file.startsWith(place)),
        place,
      ).toBe(true)
    }
    for (const [place, reasons] of Object.entries(single)) {
      for (const reason of Object.keys(reasons)) {
        expect(
          unsampled.some(({ file, text }) => file === place && text.includes(reason)),
          reason,
        ).toBe(true)
      }
    }
  })

  it('is found however it is written', () => {
    const planted = `
      this.#env.log.write('warn', 'dns', 'one', { name })
      const { log } = env; log.write(
        level, 'dns',
        'two',
      )
      this.#log.write('info', 'a', \`three\`)
      parts.env.log.write('warn', 'dns', 'sampled', {}, 'sampled')
      stream.write('warn', 'a', 'b')`
    expect(logCalls(planted).map(({ sampled }) => sampled)).toEqual([false, false, false, true])
  })
})
