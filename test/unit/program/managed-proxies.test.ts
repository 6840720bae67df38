import { describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { emptyBytes, utf8 } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import type { ChildExit, ChildOptions, SpawnFailure } from '../../../src/env/process.ts'
import type { ManagedProxy } from '../../../src/features/contract/local-services.ts'
import type { ServiceFacts } from '../../../src/model/catalog.ts'
import { ManagedProxies } from '../../../src/program/managed-proxies.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

interface Child {
  readonly argv: readonly string[]
  readonly options: ChildOptions
  /** It is told to end by its agent. */
  readonly isAsked: () => boolean
  end(exit: number | string, output?: string): Promise<void>
}

const facts = (id: string): ServiceFacts => ({
  ...{ kind: 'connect-proxy', id, service: id, tags: [], address: '', meta: null, port: 20_000 },
  weights: { passing: 1, warning: 1 },
  enableTagOverride: false,
})

function managed(id: string, command: readonly string[] = [], token = ''): ManagedProxy {
  return { proxy: facts(id), target: facts('web'), managed: { execMode: 'daemon', command }, token }
}

interface Choices {
  readonly isRoot?: boolean
  readonly asRoot?: boolean
  readonly ownProgram?: boolean
  readonly http?: number
  readonly clientAddresses?: readonly string[]
}

/** Proxies of an agent whose processes end when the test says so. */
class Stage {
  readonly clock = new HandClock()
  readonly children: Child[] = []
  readonly log: string[] = []
  readonly proxies: ManagedProxies
  #wanted: readonly ManagedProxy[] = []
  #tell: () => void = () => undefined
  #bytes = 0

  constructor({ isRoot = false, asRoot = false, ownProgram = true, http = 8500, clientAddresses }: Choices = {}) {
    const own = ownProgram ? { ownProgram: { argv: ['/bin/node', '/bin/svc'], asRoot: isRoot } } : {}
    const env = {
      ...this.clock.env,
      crypto: { randomBytes: (count: number) => new Uint8Array(count).fill(++this.#bytes) },
      log: {
        write: (_level: string, _topic: string, text: string, fields: object) =>
          this.log.push(`${text} ${JSON.stringify(fields)}`),
        enabled: () => true,
      },
      machine: own,
      processes: { run: (argv: readonly string[], options: ChildOptions) => this.#run(argv, options) },
    } as unknown as Env
    const usual = defaultAgentConfig('n', '10.0.0.1')
    const config = {
      ...usual,
      ports: { ...usual.ports, http, https: 8501 },
      clientAddresses: clientAddresses ?? usual.clientAddresses,
      managedProxies: { ...usual.managedProxies, asRoot },
    }
    this.proxies = new ManagedProxies(env, config, {
      managedProxies: () => this.#wanted,
      onServicesChange: (use) => {
        this.#tell = use
        return { close: () => undefined }
      },
    })
  }

  async want(...wanted: readonly ManagedProxy[]): Promise<void> {
    this.#wanted = wanted
    this.#tell()
    await settled()
  }

  child(at: number): Child {
    const child = this.children[at]
    if (child === undefined) throw new Error(`there is no child ${at}`)
    return child
  }

  #run(argv: readonly string[], options: ChildOptions): Promise<Result<ChildExit, SpawnFailure>> {
    return new Promise((resolve) => {
      let asked = false
      void options.until?.then(() => {
        asked = true
      })
      const end = async (exit: number | string, output = ''): Promise<void> => {
        resolve(ok({ exit, output: output === '' ? emptyBytes : utf8(output), timedOut: false }))
        await settled()
      }
      if (argv[0] === 'missing') resolve(err({ kind: 'not-found', program: 'missing', message: 'no such file' }))
      this.children.push({ argv, options, isAsked: () => asked, end })
    })
  }
}

describe('proxies that an agent runs', () => {
  it("are this program or their own, and get their identity and the agent's address", async () => {
    const stage = new Stage()
    await stage.want(managed('a'), managed('b', ['run', '-x']))
    expect(stage.children.map(({ argv }) => argv)).toEqual([
      ['/bin/node', '/bin/svc', 'connect', 'proxy'],
      ['run', '-x'],
    ])
    const { environment, timeoutMs, tether } = stage.child(0).options
    const secret = environment?.get('CONNECT_PROXY_TOKEN')
    expect(secret).toMatch(/^[0-9a-f-]{36}$/)
    expect([...(environment ?? [])]).toEqual([
      ['SVC_HTTP_ADDR', 'http://127.0.0.1:8500'],
      ['CONNECT_PROXY_ID', 'a'],
      ['CONNECT_PROXY_TOKEN', secret],
      ['CONNECT_PROXY_TETHERED', '1'],
      ['SVC_HTTP_TOKEN', secret],
    ])
    expect([timeoutMs, tether]).toEqual([Number.POSITIVE_INFINITY, true])
    expect(stage.child(1).options.environment?.get('CONNECT_PROXY_TOKEN')).not.toBe(secret)
  })

  it.each([
    [{ clientAddresses: ['0.0.0.0'] }, 'http://127.0.0.1:8500'],
    [{ clientAddresses: ['::'] }, 'http://[::1]:8500'],
    [{ clientAddresses: ['unix:///run/svc'] }, 'unix:///run/svc'],
    [{ http: -1 }, 'https://127.0.0.1:8501'],
  ])('find an agent with %j at %s', async (choices, address) => {
    const stage = new Stage(choices)
    await stage.want(managed('a'))
    expect(stage.child(0).options.environment?.get('SVC_HTTP_ADDR')).toBe(address)
  })

  it('act with the token of their service, as it is now, for as long as they run', async () => {
    const stage = new Stage()
    await stage.want(managed('a', [], 'first'))
    const secret = stage.child(0).options.environment?.get('CONNECT_PROXY_TOKEN') ?? ''
    expect([stage.proxies.actingToken(secret), stage.proxies.actingToken('other')]).toEqual(['first', 'other'])
    await stage.want(managed('a', [], 'second'))
    expect(stage.proxies.actingToken(secret)).toBe('second')
    expect(stage.children.length).toBe(1)
    await stage.want()
    expect(stage.proxies.actingToken(secret)).toBe(secret)
  })

  it('are started again with pauses that grow, and soon again when they ran for a while', async () => {
    const stage = new Stage()
    await stage.want(managed('a'))
    for (const [at, pauseMs] of [1_000, 2_000, 4_000].entries()) {
      await stage.child(at).end(1, 'why it ended\n')
      await stage.clock.advance(pauseMs - 1)
      expect(stage.children.length).toBe(at + 1)
      await stage.clock.advance(1)
      expect(stage.children.length).toBe(at + 2)
    }
    expect(stage.log.find((line) => line.includes('has ended'))).toContain('exit status 1: why it ended')
    await stage.clock.advance(10_000)
    await stage.child(3).end('SIGKILL')
    await stage.clock.advance(500)
    expect(stage.children.length).toBe(5)
    const longest = new Stage()
    await longest.want(managed('a', ['missing']))
    await longest.clock.advance(3_600_000)
    expect(longest.children.length).toBeGreaterThan(60)
    expect(longest.children.length).toBeLessThan(70)
  })

  it('are told to end when they are no more wanted, and replaced when their command is another', async () => {
    const stage = new Stage()
    await stage.want(managed('a'), managed('b'))
    await stage.want(managed('a', ['other']))
    expect(stage.children.map(({ isAsked }) => isAsked())).toEqual([true, true, false])
    expect(stage.child(2).argv).toEqual(['other'])
    await stage.child(0).end(0)
    await stage.child(1).end(0)
    await stage.clock.advance(100_000)
    expect(stage.children.length).toBe(3)
    let stopped = false
    const stopping = stage.proxies.stop().then(() => {
      stopped = true
    })
    await settled()
    expect([stage.child(2).isAsked(), stopped]).toEqual([true, false])
    await stage.child(2).end('SIGTERM')
    await stopping
    expect(stage.clock.timers).toBe(0)
  })

  it('end at once where they wait to be started again', async () => {
    const stage = new Stage()
    await stage.want(managed('a'))
    await stage.child(0).end(1)
    await stage.proxies.stop()
    expect(stage.clock.timers).toBe(0)
  })

  it('do not run as root unless that is allowed, nor where there is no program, and it is said once', async () => {
    const why = async (choices: Choices) => {
      const stage = new Stage(choices)
      await stage.want(managed('a'))
      await stage.want(managed('a'), managed('b'))
      return [stage.children.length, ...stage.log.filter((line) => line.includes('not run'))]
    }
    const refused = (id: string, reason: string) => `A managed proxy is not run ${JSON.stringify({ id, why: reason })}`
    const root = 'the agent runs as root, and connect.proxy.allow_managed_root does not allow that'
    expect(await why({ isRoot: true })).toEqual([0, refused('a', root), refused('b', root)])
    expect(await why({ isRoot: true, asRoot: true })).toEqual([2])
    const none = 'there is no program for it'
    expect(await why({ ownProgram: false })).toEqual([0, refused('a', none), refused('b', none)])
  })
})
