import { expect, it } from 'vitest'
import { Refusals } from '../../../src/proxy/refusals.ts'
import { HandClock } from '../features/hand-clock.ts'

it('of a peer that fails the handshake is reported once a minute, by host and reason, and each refusal by the agent', async () => {
  const clock = new HandClock()
  const said: string[] = []
  const write = (_level: string, _topic: string, _text: string, fields?: object) =>
    said.push(Object.values(fields ?? {}).join(' '))
  const refusals = new Refusals({ ...clock.env, log: { ...clock.env.log, write } })
  const untrusted = { kind: 'untrusted', message: 'self-signed certificate' } as const
  refusals.strange({ host: '10.0.0.1', port: 1 }, untrusted)
  refusals.strange({ host: '10.0.0.1', port: 2 }, untrusted)
  refusals.strange({ host: '10.0.0.2', port: 3 }, untrusted)
  refusals.strange({ host: '10.0.0.1', port: 4 }, { kind: 'no-certificate' })
  await clock.advance(60_000)
  refusals.strange({ host: '10.0.0.1', port: 5 }, untrusted)
  refusals.refused({ host: '10.0.0.1', port: 6 }, 'denied')
  refusals.refused({ host: '10.0.0.1', port: 7 }, 'denied')
  const text = 'its certificate does not lead to a root of this mesh: self-signed certificate'
  expect(said).toEqual([
    `10.0.0.1:1 ${text}`,
    `10.0.0.2:3 ${text}`,
    '10.0.0.1:4 it shows no certificate',
    `10.0.0.1:5 ${text}`,
    '10.0.0.1:6 denied',
    '10.0.0.1:7 denied',
  ])
})
