import { createCipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { seal } from '../../../src/gossip/wire/sealed.ts'
import { sealFrame } from '../../../src/gossip/wire/stream-frame.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { FrameReading, unsealing, unsealWith } from './frames.ts'

const key = utf8('sixteen bytes ok')
const other = utf8('other sixteen by')
const text = utf8('who is there')
const none = new Uint8Array(0)

/** As an agent of version 0 seals it: padded to blocks, with a length of padding that may be wrong. */
function sealedByOlder(plain: Uint8Array, padding = 16 - (plain.length % 16)): Uint8Array {
  const nonce = new Uint8Array(12).fill(7)
  const padded = Uint8Array.from([...plain, ...new Array(16 - (plain.length % 16)).fill(padding)])
  const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(none)
  return Uint8Array.from([0, ...nonce, ...cipher.update(padded), ...cipher.final(), ...cipher.getAuthTag()])
}

describe('sealed bytes', () => {
  it('are of version 1: a nonce, the text as long as it was, a tag', () => {
    const sealed = seal(hostCrypto, key, text, none)
    expect([sealed[0], sealed.length]).toEqual([1, 1 + 12 + text.length + 16])
    expect(unsealWith([other, key], sealed, none)).toEqual(text)
  })

  it('never come with the same nonce twice', () => {
    const nonces = new Set(Array.from({ length: 50 }, () => seal(hostCrypto, key, text, none).subarray(1, 13).join()))
    expect(nonces.size).toBe(50)
  })

  it('of version 0 are read, without their padding', () => {
    for (const length of [0, 1, 15, 16, 17]) {
      const plain = new Uint8Array(length).fill(9)
      expect(unsealWith([key], sealedByOlder(plain), none)).toEqual(plain)
    }
  })

  it('of version 0 are dropped when their padding is not as it must be', () => {
    for (const padding of [0, 5, 17, 255]) expect(unsealWith([key], sealedByOlder(text, padding), none)).toBe(undefined)
  })

  it('are not opened by another key, under another head, of an unknown version, or cut short', () => {
    const sealed = seal(hostCrypto, key, text, utf8('head'))
    expect(unsealWith([key], sealed, utf8('head'))).toEqual(text)
    expect(unsealWith([other], sealed, utf8('head'))).toBe(undefined)
    expect(unsealWith([key], sealed, utf8('haed'))).toBe(undefined)
    expect(unsealWith([key], Uint8Array.from([2, ...sealed.subarray(1)]), utf8('head'))).toBe(undefined)
    for (let length = 0; length < sealed.length; length++) {
      expect(unsealWith([key], sealed.subarray(0, length), utf8('head'))).toBe(undefined)
    }
  })
})

describe('sealed frames of streams', () => {
  const sealing = {
    isOn: true,
    demands: true,
    seal: (plain: Uint8Array, head: Uint8Array) => seal(hostCrypto, key, plain, head),
    unseal: (sealed: Uint8Array, head: Uint8Array) => unsealing([key], sealed, head),
  }
  const ping = Uint8Array.from([0, 0x82, 0xa4, ...utf8('Node'), 0xa1, ...utf8('b'), 0xa5, ...utf8('SeqNo'), 7])
  const frame = sealFrame(sealing, ping)

  it('have a head of type 10 and the length, and are read in whatever pieces they come', () => {
    expect([...frame.subarray(0, 5)]).toEqual([10, 0, 0, 0, ping.length + 29])
    for (let cut = 1; cut < frame.length; cut++) {
      const reader = new FrameReading(sealing)
      expect(reader.push(frame.slice(0, cut))).toEqual({ ok: true, value: undefined })
      expect(reader.push(frame.slice(cut))).toEqual({ ok: true, value: { kind: 'ping', node: 'b', sequence: 7 } })
    }
  })

  it('are refused when the head was changed, and when they announce too much', () => {
    const longer = Uint8Array.from([...frame, 0])
    longer[4] = (longer[4] ?? 0) + 1
    expect(new FrameReading(sealing).push(longer)).toEqual({
      ok: false,
      error: expect.stringMatching(/^none of our keys decrypts it: the sender has another encrypt key, /),
    })
    const endless = Uint8Array.from([10, 0x7f, 0, 0, 0])
    expect(new FrameReading(sealing).push(endless)).toEqual({ ok: false, error: 'a frame is longer than allowed' })
  })

  it('are demanded where there is a key, and refused where there is none', () => {
    const error = 'it is not encrypted, and encryption is configured here'
    expect(new FrameReading(sealing).push(ping)).toEqual({ ok: false, error })
    expect(new FrameReading({ ...sealing, demands: false }).push(ping)).toMatchObject({ value: { kind: 'ping' } })
    expect(new FrameReading().push(frame)).toMatchObject({ ok: false })
  })
})
