import { describe, expect, it } from 'vitest'
import { parseHolder, parseProcessStat, writeHolder } from '../../../src/host/lock-holder.ts'

describe('the holder of a lock', () => {
  const holder = { pid: 12, started: '345', boot: 'b', nonce: 'n' }

  it('is read as it was written', () => {
    expect(parseHolder(writeHolder(holder))).toEqual(holder)
  })

  it('is unknown when any part of what was written is missing', () => {
    const whole = writeHolder(holder)
    for (let length = 0; length < whole.length; length++) expect(parseHolder(whole.slice(0, length))).toBeUndefined()
  })

  it.each([
    'null\n',
    '7\n',
    '[]\n',
    '{}\n',
    '{"pid":0,"started":"","boot":"","nonce":""}\n',
    '{"pid":-3,"started":"","boot":"","nonce":""}\n',
    '{"pid":1.5,"started":"","boot":"","nonce":""}\n',
    '{"pid":"1","started":"","boot":"","nonce":""}\n',
    '{"pid":1,"started":5,"boot":"","nonce":""}\n',
    '\0\0\0\0',
  ])('is nobody in %j', (content) => {
    expect(parseHolder(content)).toBeUndefined()
  })
})

describe('what Linux says of a process', () => {
  const rest = 'S 1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 11 0 123456 1000 200 18446744073709551615'

  it('is its state and start time, whatever its program is called', () => {
    for (const name of ['node', 'a b', 'a) S 1 (b', ') Z 9 9', '']) {
      expect(parseProcessStat(`77 (${name}) ${rest}\n`)).toEqual({ state: 'S', started: '123456' })
    }
  })

  it('is nothing where the line is cut short', () => {
    expect(parseProcessStat('')).toBeUndefined()
    expect(parseProcessStat('77 (node) S 1 2 3')).toBeUndefined()
  })
})
