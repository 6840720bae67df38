import { expect } from 'vitest'
import type { Law } from './law-world.ts'
import { got } from './observed.ts'

export function nameLaws(law: Law): void {
  law('the machine itself has a name, which stands for addresses of its own, each once', async ({ env }) => {
    const found = await got(env.names.lookup('localhost', 10_000))
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found).size).toBe(found.length)
    for (const address of found) expect(['127.0.0.1', '::1']).toContain(address)
  })

  law('an address stands for itself, in any case of letters', async ({ env, host }) => {
    expect(await got(env.names.lookup(host, 10_000))).toEqual([host])
    expect(await got(env.names.lookup('LOCALHOST', 10_000))).not.toEqual([])
  })

  law('a name that nobody has is not found, or nobody says so in time', async ({ env }) => {
    const lookup = await env.names.lookup('nobody.invalid', 20_000)
    expect(lookup).toMatchObject({ ok: false, error: { name: 'nobody.invalid' } })
    expect(lookup.ok ? '' : lookup.error.message).not.toBe('')
  })

  law('nothing comes back from within the call that asks', async ({ env }) => {
    let came = false
    const lookup = env.names.lookup('localhost', 10_000).then(() => {
      came = true
    })
    expect(came).toBe(false)
    await lookup
    expect(came).toBe(true)
  })

  law('a lookup with no time at all gets an answer all the same', async ({ env }) => {
    const lookup = await env.names.lookup('nobody.invalid', 0)
    expect(lookup).toMatchObject({ ok: false })
  })
}
