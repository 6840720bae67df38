import { describe, expect, it } from 'vitest'
import { done, err } from '../../../src/base/result.ts'
import { Keyring, keyFrom, keysMax } from '../../../src/gossip/keyring.ts'

const texts = [1, 2, 3].map((byte) => Buffer.alloc(16, byte).toString('base64'))
const [first, second, third] = texts as [string, string, string]

function key(text: string): Uint8Array {
  const found = keyFrom(text)
  if (!found.ok) throw new Error(found.error)
  return found.value
}

function ring(...keys: string[]): Keyring {
  const made = Keyring.from(keys)
  if (!made.ok) throw new Error(made.error)
  return made.value
}

describe('a keyring', () => {
  it('sends with the first key until another is used', () => {
    const keys = ring(first)
    expect(keys.install(key(second))).toMatchObject({ ok: true })
    expect(keys.primary).toEqual(key(first))
    expect(keys.use(key(second))).toMatchObject({ ok: true })
    expect(keys.primary).toEqual(key(second))
    expect(keys.list()).toEqual([second, first])
  })

  it('gives away any key but the first', () => {
    const keys = ring(first, second)
    expect(keys.remove(key(first))).toEqual({ ok: false, error: 'Removing the primary key is not allowed' })
    expect(keys.remove(key(second))).toMatchObject({ ok: true })
    expect(keys.remove(key(third))).toMatchObject({ ok: true })
    expect(keys.list()).toEqual([first])
  })

  it('uses none that is not installed', () => {
    expect(ring(first).use(key(second))).toEqual({ ok: false, error: 'Requested key is not in the keyring' })
  })

  it('is stored with the keys of that moment, where the agent stores them', async () => {
    const keys = ring(first)
    expect(await keys.stored()).toEqual(done)
    const lists: (readonly string[])[] = []
    keys.storeBy(async (list) => {
      lists.push(list)
      return lists.length === 1 ? err('no room') : done
    })
    keys.install(key(second))
    expect(await keys.stored()).toEqual(err('no room'))
    keys.use(key(second))
    expect(await keys.stored()).toEqual(done)
    expect(lists).toEqual([
      [first, second],
      [second, first],
    ])
  })

  it('takes keys of 16, 24 and 32 bytes in base64', () => {
    for (const bytes of [16, 24, 32]) expect(keyFrom(Buffer.alloc(bytes).toString('base64')).ok).toBe(true)
    expect(keyFrom(Buffer.alloc(8).toString('base64'))).toEqual({
      ok: false,
      error: 'key size must be 16, 24 or 32 bytes',
    })
    expect(keyFrom('*nope')).toEqual({ ok: false, error: 'illegal base64 data at input byte 0' })
    expect(Keyring.from([])).toMatchObject({ ok: false })
  })

  it('holds a bounded number of keys', () => {
    const keys = ring(first)
    for (let byte = 10; byte < 10 + 2 * keysMax; byte++) keys.install(new Uint8Array(16).fill(byte))
    expect(keys.list().length).toBe(keysMax)
  })
})
