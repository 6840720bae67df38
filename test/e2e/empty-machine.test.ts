import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksUnder, runBlock } from './operations-page.ts'
import { commonLeader, freePorts, quickGossip, RealAgent } from './real-agent.ts'
import { Stage } from './stage.ts'

const stage = new Stage()
const heading = 'From an empty machine to three servers'
const [keys = '', configuration = '', firstToken = '', agentToken = '', look = ''] = blocksUnder(heading)
const long = process.env['SVC_TEST_LONG'] === '1'

interface Machine {
  readonly name: string
  readonly directory: string
  readonly agent: () => RealAgent
  /** Runs a block of the page on this machine. */
  run(block: string): ReturnType<typeof runBlock>
}

/** A machine of the page: its own folder for /etc/svc.d, its own address, and the ports that the test has. */
async function machineAt(at: number, serfPort: number, serverPort: number): Promise<Machine> {
  const [name, host] = [`s${at + 1}`, `127.0.0.${at + 1}`]
  const etc = join(stage.path, name, 'etc')
  const { http } = await freePorts()
  mkdirSync(etc, { recursive: true })
  const ports = { http, dns: -1, serf_wan: -1, serf_lan: serfPort, server: serverPort }
  const own = { ports, gossip_lan: quickGossip, retry_interval: '200ms', connect: { enabled: true } }
  writeFileSync(join(etc, 'test.json'), JSON.stringify(own))
  const place = { directory: stage.path, http: `127.0.0.1:${http}`, dataDir: join(stage.path, name, 'data') }
  let agent: RealAgent | undefined
  return {
    name,
    directory: etc,
    agent: () => {
      agent ??= stage.add(new RealAgent(place.http, [`-config-dir=${etc}`]))
      return agent
    },
    run: (block) => {
      const text = block
        .replace(
          'name=s1 address=10.0.0.1 pair=dc1-server-svc-0',
          `name=${name} address=${host} pair=dc1-server-svc-${at}`,
        )
        .replaceAll(/10\.0\.0\.(\d)/g, '127.0.0.$1')
        .replaceAll('/etc/svc.d', etc)
      return runBlock(text, place)
    },
  }
}

describe('from an empty machine to three servers', () => {
  it('has blocks that a shell reads, and names those that no test runs', () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    const section = page.slice(page.indexOf(`## ${heading}`)).split('\n## ')[0] ?? ''
    const marks = [...section.matchAll(/^```(\w*)$/gm)].map(([, mark]) => mark).filter((mark) => mark !== '')
    expect(marks).toEqual(['console', 'sh', 'sh', 'console', 'sh', 'sh', 'sh', 'console'])
    expect(section).toContain('`console` need root, systemd or Prometheus; no test runs them')
    expect(blocksUnder(heading)).toHaveLength(5)
  })

  it.runIf(long)(
    'works as the page has it (SVC_TEST_LONG=1)',
    async () => {
      const { serf_lan, server } = await freePorts()
      const machines = await Promise.all([0, 1, 2].map((at) => machineAt(at, serf_lan, server)))
      const [first] = machines
      if (first === undefined) throw new Error('there are three')
      expect(await first.run(keys)).toMatchObject({ code: 0, error: '' })
      for (const machine of machines) {
        const written = await machine.run(configuration)
        expect([written.code, written.out], written.error).toEqual([
          0,
          expect.stringContaining('Configuration is valid!'),
        ])
      }
      const agents = machines.map((machine) => machine.agent())
      await commonLeader(agents)
      const ready = await first.run(firstToken)
      expect(ready.code, ready.error).toBe(0)
      for (const [at, machine] of machines.entries()) {
        // The policy and the token are made once; on the other machines only the last line is left.
        const given = await machine.run(at === 0 ? agentToken : (agentToken.split('\n').at(-2) ?? ''))
        expect(given.code, given.error).toBe(0)
      }
      const looked = await first.run(look)
      expect(looked.code, looked.error).toBe(0)
      expect(looked.out.match(/^s\d .* true /gm)).toHaveLength(3)
      expect(looked.out).toMatch(/^green +access-control +access control is on, and denies/m)
      expect(looked.out).toContain('Saved and verified snapshot to index')
      expect(looked.out).toMatch(/^acl-tokens? +3 /m)
    },
    300_000,
  )
})
