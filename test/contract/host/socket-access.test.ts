import { existsSync, mkdtempSync, rmSync, statSync, watch } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SocketAccess } from '../../../src/env/http.ts'
import { quietEnv } from './quiet-env.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-socket-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function serve(name: string, access: SocketAccess) {
  const answer = async () => ({ status: 200, headers: [], body: 'here' })
  return quietEnv().http.serve({ host: `unix://${join(folder, name)}`, port: 0 }, answer, undefined, access)
}

describe('a socket of the file system', () => {
  it('gets the mode that is wanted, and the user and group', async () => {
    const { uid, gid, username } = userInfo()
    for (const [name, mode] of [
      ['a', 0o700],
      ['b', 0o666],
    ] as const) {
      expect((await serve(name, { mode, user: username, group: gid })).ok).toBe(true)
      const stats = statSync(join(folder, name))
      expect([stats.mode & 0o777, stats.uid, stats.gid]).toEqual([mode, uid, gid])
    }
    expect((await serve('c', { user: String(uid) })).ok).toBe(true)
    const answer = await quietEnv().http.request(
      { host: `unix://${join(folder, 'b')}`, port: 0 },
      { method: 'GET', target: '/', timeoutMs: 5_000 },
    )
    expect(answer).toMatchObject({ ok: true, value: { status: 200 } })
  })

  it('appears under its name only when its permissions are already in force', async () => {
    const seen: string[] = []
    const watching = watch(folder, (_event, name) => {
      const path = join(folder, 'e')
      if (name === 'e' && existsSync(path)) seen.push((statSync(path).mode & 0o777).toString(8))
    })
    const served = await serve('e', { mode: 0o600 })
    if (!served.ok) throw new Error(served.error.kind)
    await expect.poll(() => seen.length).toBeGreaterThan(0)
    expect(new Set(seen)).toEqual(new Set(['600']))
    watching.close()
    expect(existsSync(join(folder, 'e.new'))).toBe(false)
    served.value.close()
    await expect.poll(() => existsSync(join(folder, 'e'))).toBe(false)
  })

  it('is not served for a user that the system does not know', async () => {
    const path = `unix://${join(folder, 'd')}`
    expect(await serve('d', { user: 'no-such-user' })).toEqual({
      ok: false,
      error: {
        kind: 'io',
        at: { host: path, port: 0 },
        message: 'failed to look up user no-such-user: unknown user no-such-user',
      },
    })
    expect(
      (await quietEnv().http.request({ host: path, port: 0 }, { method: 'GET', target: '/', timeoutMs: 5_000 })).ok,
    ).toBe(false)
  })
})
