import { describe, expect, it } from 'vitest'
import type { SyslogPlace } from '../../../src/agent/settings/log-settings.ts'
import { Syslog } from '../../../src/agent/syslog/syslog.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { hostWorld } from '../env/host-world.ts'
import type { LawWorld, Place } from '../env/law-world.ts'
import { got, Notes } from '../env/observed.ts'
import { simWorld } from '../env/sim-world.ts'

const local0 = 16
/** `<133>Nov 23 00:43:36 host svc: `, and what was said. */
const packet = /^<(\d+)>(\w{3} [ \d]\d \d\d:\d\d:\d\d) ([\w-]+) svc: (.*)$/

async function heardAt(env: Env, host: string): Promise<{ readonly notes: Notes; readonly to: SyslogPlace }> {
  const notes = new Notes(env)
  const bound = await got(env.udp.bind({ host, port: 0 }, (_from, bytes) => notes.tell(textOf(bytes))))
  return { notes, to: { kind: 'udp', at: { host, port: bound.local.port } } }
}

function syslogLaws(name: string, world: LawWorld): void {
  describe(`the log on its way to syslog ${name}`, () => {
    const law = (title: string, look: (place: Place) => Promise<void>) => it(title, () => world.look(look))

    law('is datagrams of RFC 3164, one for each line, the last ones too', async ({ env, peer, peerHost }) => {
      const { notes, to } = await heardAt(peer, peerHost)
      const syslog = new Syslog(env, { tag: 'svc', facility: local0, to }, 'info')
      env.log.write('info', 'raft', 'election won', { tally: 2 })
      env.log.write('debug', 'raft', 'below the level')
      env.log.write('warn', 'agent', 'a text\nof two lines')
      await notes.until(() => notes.told.length === 2)
      env.log.write('error', 'agent', 'last words')
      await syslog.close()
      await notes.until(() => notes.told.length === 3)
      const parts = notes.told.map((text) => packet.exec(text)?.slice(1) ?? [text])
      // On the simulated network datagrams may overtake each other.
      const said = parts.map(([priority, , , text]) => `${priority} ${text}`).sort((a, b) => (a < b ? -1 : 1))
      expect(said).toEqual([
        '131 agent: last words',
        '132 agent: a text\\nof two lines',
        '133 raft: election won tally=2',
      ])
      expect(new Set(parts.map(([, , host]) => host)).size).toBe(1)
    })

    law('goes on when nobody listens', async ({ env, host }) => {
      const { to } = await heardAt(env, host)
      if (to.kind !== 'udp') throw new Error('a datagram is awaited')
      const closed = await got(env.udp.bind({ host, port: 0 }, () => undefined))
      closed.close()
      const syslog = new Syslog(
        env,
        { tag: 'svc', facility: local0, to: { kind: 'udp', at: { host, port: closed.local.port } } },
        'info',
      )
      for (let line = 0; line < 1_000; line++) env.log.write('info', 'test', 'a line')
      await syslog.close()
    })

    law('says once that there is no local socket, or no logger, and goes on', async ({ env, directory }) => {
      const notes = new Notes(env)
      const path = `${directory}/none`
      env.log.follow('warn', (_line, { said }) => notes.tell(said))
      const syslog = new Syslog(env, { tag: 'svc', facility: local0, to: { kind: 'local', path } }, 'info')
      env.log.write('info', 'test', 'a line')
      await notes.until(() => notes.told.length > 0)
      expect(notes.told).toEqual([expect.stringContaining('syslog: log lines do not reach syslog')])
      await syslog.close()
      expect(notes.told).toHaveLength(1)
    })
  })
}

syslogLaws('in the simulator', simWorld(undefined))
syslogLaws('on Node', hostWorld(undefined))
