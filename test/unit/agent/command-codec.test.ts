import { describe, expect, it } from 'vitest'
import { decodeCommand, encodeToPropose } from '../../../src/agent/replication/command-codec.ts'
import { payloadBytesMax } from '../../../src/raft/log/record.ts'

const command = { kind: 'test.put' }

describe('a command that is to be proposed', () => {
  it('is refused where an entry of the log cannot hold it, and no byte earlier', () => {
    const room = payloadBytesMax - lengthOf(new Uint8Array(1 << 20)) + (1 << 20)
    const most = encodeToPropose(command, new Uint8Array(room))
    expect(most.ok && most.value.length).toBe(payloadBytesMax)
    expect(most.ok && decodeCommand(most.value)).toMatchObject({ ok: true, value: { kind: 'test.put' } })
    expect(encodeToPropose(command, new Uint8Array(room + 1))).toMatchObject({
      ok: false,
      error: { kind: 'too-large', message: expect.stringContaining(`test.put: it takes ${payloadBytesMax + 1} bytes`) },
    })
  })
})

function lengthOf(body: Uint8Array): number {
  const encoded = encodeToPropose(command, body)
  return encoded.ok ? encoded.value.length : 0
}
