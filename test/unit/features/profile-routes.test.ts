import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { Profiler } from '../../../src/env/profiler.ts'
import { profileRoutes } from '../../../src/features/agent/profile-routes.ts'
import { permissionDenied } from '../../../src/features/contract/access.ts'
import { HandClock } from './hand-clock.ts'

const profiler: Profiler = {
  commandLine: () => 'svc\0agent',
  take: async (kind, durationMs) => ok(utf8(`${kind} for ${durationMs}`)),
}

interface Asked {
  readonly debugged?: boolean
  readonly accessControl?: object
  readonly allowed?: boolean
  readonly profiler?: Profiler | undefined
}

function ask(path: string, { debugged = true, accessControl, allowed = true, ...more }: Asked = {}) {
  const { env } = new HandClock()
  const agent = {
    env: { ...env, profiler: 'profiler' in more ? more.profiler : profiler },
    accessControl,
    self: () => ({ isDebugged: debugged }),
    authorizer: async () => (allowed ? ok(unrestricted) : err(permissionDenied())),
  }
  const [name = '', query = ''] = path.split('?')
  const route = profileRoutes.find((each) => each.path === `/debug/pprof/${name}`)
  const request = { query: new URLSearchParams(query), call: {} }
  return route?.operations.GET?.handle(agent as never, request as never)
}

describe('profiles of an agent', () => {
  it('are taken for as long as is asked, or as is usual for their kind', async () => {
    for (const [path, said] of [
      ['profile', 'cpu for 30000'],
      ['profile?seconds=0.5', 'cpu for 500'],
      ['heap', 'heap for 1000'],
      ['allocs?seconds=60', 'allocations for 60000'],
      ['goroutine', 'pending for 0'],
      ['trace', 'trace for 1000'],
    ] as const) {
      expect([path, await ask(path)]).toEqual([
        path,
        { kind: 'bytes', bytes: utf8(said), contentType: 'application/octet-stream' },
      ])
    }
    expect(await ask('cmdline')).toEqual({ kind: 'text', status: 200, text: 'svc\0agent' })
    for (const seconds of ['61', '-1', 'x'])
      expect(await ask(`profile?seconds=${seconds}`)).toMatchObject({ failure: { kind: 'bad-request' } })
  })

  it('are open with enable_debug, and need a right where access control is on', async () => {
    const off = { kind: 'failure', failure: { kind: 'access-control-off' } }
    expect(await ask('heap', { debugged: false })).toEqual(off)
    expect(await ask('heap', { debugged: false, accessControl: {} })).toMatchObject({ kind: 'bytes' })
    for (const debugged of [true, false])
      expect(await ask('heap', { debugged, accessControl: {}, allowed: false })).toEqual({ kind: 'empty', status: 403 })
  })

  it('are taken one at a time, and not of a simulated agent', async () => {
    const busy: Profiler = { ...profiler, take: async () => err({ kind: 'busy', message: 'another is being taken' }) }
    expect(await ask('heap', { profiler: busy })).toMatchObject({ failure: { kind: 'overloaded' } })
    expect(await ask('heap', { profiler: undefined })).toMatchObject({
      failure: { kind: 'refused', message: 'A simulated agent has no process of its own, and so no profiles' },
    })
  })
})
