import { expect } from 'vitest'
import { hex, utf8 } from '../../../src/base/bytes.ts'
import { spelled } from '../../unit/gossip-wire/bytes.ts'
import type { Law } from './law-world.ts'
import { Notes, pause } from './observed.ts'

export function timeLaws(law: Law): void {
  law(
    'timers fire in the order in which they fall due, those of one instant in the order in which they were set',
    async ({ env }) => {
      // The times count from when each is set: on a busy machine all must be set before the first but one of them is
      // due.
      let [settingMs, told] = [Number.POSITIVE_INFINITY, '']
      for (let tries = 0; tries < 50 && settingMs >= 3; tries++) {
        const notes = new Notes(env)
        const startMs = env.clock.monoMs()
        for (const [name, delayMs] of [
          ['d', 9],
          ['b', 3],
          ['c', 3],
          ['a', 0],
          ['e', 9],
        ] as const) {
          env.timers.after(delayMs, () => notes.tell(name))
        }
        settingMs = env.clock.monoMs() - startMs
        await notes.heard('e')
        told = notes.told.join('')
      }
      expect(told).toBe('abcde')
    },
  )

  law('a timer never fires within the call that sets it, and not before its time', async ({ env }) => {
    const notes = new Notes(env)
    const startMs = env.clock.monoMs()
    for (const delayMs of [-5, 0, 2, 2.5, 7.001]) {
      env.timers.after(delayMs, () => {
        const passedMs = env.clock.monoMs() - startMs
        // A microsecond for the rounding of fractions.
        notes.tell(passedMs + 0.001 >= delayMs ? 'in time' : `after ${passedMs} of ${delayMs}`)
      })
      expect(notes.told).toEqual([])
    }
    await notes.until(() => notes.told.length === 5)
    expect(notes.told).toEqual(Array.from({ length: 5 }, () => 'in time'))
  })

  law('a closed timer never fires; closing it twice or after it fired does no harm', async ({ env }) => {
    const notes = new Notes(env)
    const closed = env.timers.after(2, () => notes.tell('closed one'))
    const other = env.timers.after(1, () => {
      notes.tell('fired')
      closed.close()
      other.close()
    })
    closed.close()
    env.timers.after(2, () => closed.close())
    env.timers.after(Number.POSITIVE_INFINITY, () => notes.tell('never'))
    env.timers.after(6, () => notes.tell('done'))
    await notes.heard('done')
    expect(notes.told).toEqual(['fired', 'done'])
  })

  law('of two timers due at one instant the first can close the second', async ({ env }) => {
    const notes = new Notes(env)
    let second = { close: (): void => undefined }
    env.timers.after(2, () => second.close())
    second = env.timers.after(2, () => notes.tell('second'))
    env.timers.after(5, () => notes.tell('done'))
    await notes.heard('done')
    expect(notes.told).toEqual(['done'])
  })

  law('each timer fires in a turn of its own: what it awakens runs before the next', async ({ env }) => {
    const notes = new Notes(env)
    const woken = env.deferred<void>()
    env.timers.after(2, () => {
      woken.resolve()
      notes.tell('first')
    })
    env.timers.after(2, () => notes.tell('second'))
    await woken.promise
    notes.tell('awakened')
    await notes.heard('second')
    expect(notes.told).toEqual(['first', 'awakened', 'second'])
  })

  law(
    'the monotonic clock goes on while time passes, and wall time is a whole number of milliseconds',
    async ({ env }) => {
      const before = env.clock.monoMs()
      await pause(env, 3)
      expect(env.clock.monoMs() - before).toBeGreaterThanOrEqual(2.999)
      expect(Number.isInteger(env.clock.wallMs())).toBe(true)
      expect(env.clock.wallMs()).toBeGreaterThan(1_600_000_000_000)
    },
  )

  law('resolving a promise runs nothing of its waiters within the call', async ({ env }) => {
    const notes = new Notes(env)
    const deferred = env.deferred<string>()
    env.detach(deferred.promise.then((value) => notes.tell(value)))
    deferred.resolve('later')
    notes.tell('now')
    await notes.heard('later')
    expect(notes.told).toEqual(['now', 'later'])
  })

  law('random numbers keep their ranges', async ({ env }) => {
    const stream = env.random.draws('contract', 1)
    for (let i = 0; i < 200; i++) {
      const [word, die, fraction] = [stream.uint32(), stream.below(6), stream.fraction()]
      expect(Number.isInteger(word) && word >= 0 && word < 2 ** 32).toBe(true)
      expect(Number.isInteger(die) && die >= 0 && die < 6).toBe(true)
      expect(fraction >= 0 && fraction < 1).toBe(true)
    }
    expect(stream.below(1)).toBe(0)
    expect(stream.below(2 ** 32)).toBeLessThan(2 ** 32)
    expect(() => stream.below(0)).toThrow('a bound from 1 to 2^32')
  })

  law(
    'AES-GCM is that of its standard, and opens what was sealed with the same key, nonce and additional bytes alone',
    async ({ env }) => {
      // McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 4 (128 bits) and 16 (256 bits).
      const plain = spelled(
        '<d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39>',
      )
      const additional = spelled('<feedfacedeadbeeffeedfacedeadbeefabaddad2>')
      const nonce = spelled('<cafebabefacedbaddecaf888>')
      const half = spelled('<feffe9928665731c6d6a8f9467308308>')
      const sealed = env.crypto.sealAesGcm(half, nonce, plain, additional)
      expect(hex(sealed.subarray(plain.length))).toBe('5bc94fbc3221a5db94fae95ae7121a47')
      expect(hex(sealed.subarray(0, 8))).toBe('42831ec221777424')
      const whole = Uint8Array.of(...half, ...half)
      const longer = env.crypto.sealAesGcm(whole, nonce, plain, additional)
      expect(hex(longer.subarray(plain.length))).toBe('76fc6ece0f4e1768cddf8853bb2d551b')
      expect(env.crypto.openAesGcm(whole, nonce, longer, additional)).toEqual(plain)
      expect(env.crypto.openAesGcm(half, nonce, sealed, additional)).toEqual(plain)
      expect(env.crypto.openAesGcm(half, nonce, longer, additional)).toBeUndefined()
      expect(env.crypto.openAesGcm(half, nonce, sealed, new Uint8Array(0))).toBeUndefined()
      expect(env.crypto.openAesGcm(half, nonce, sealed.subarray(0, 15), additional)).toBeUndefined()
      const changed = Uint8Array.from(sealed)
      changed[3] = (changed[3] ?? 0) ^ 1
      expect(env.crypto.openAesGcm(half, nonce, changed, additional)).toBeUndefined()
    },
  )

  law('sha256 is SHA-256, and random bytes are as many as asked for', async ({ env }) => {
    // FIPS 180-4, example of one block.
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(hex(env.crypto.sha256(utf8('abc')))).toBe(abc)
    const running = env.crypto.runningSha256()
    for (const piece of ['a', '', 'bc']) running.update(utf8(piece))
    expect(hex(running.digest())).toBe(abc)
    for (const length of [0, 1, 16, 33]) expect(env.crypto.randomBytes(length)).toHaveLength(length)
    expect(hex(env.crypto.randomBytes(16))).not.toBe(hex(env.crypto.randomBytes(16)))
  })
}
