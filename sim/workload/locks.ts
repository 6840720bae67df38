import { z } from 'zod'
import { chance, duration, durationRange, selector } from '../notation/fields.ts'
import { answerWithinMs, groupWorld } from './asked-agents.ts'
import { workloadKind } from './kind.ts'
import { LockContenders } from './lock-contenders.ts'

const contenders = z.strictObject({
  at: selector.optional().describe('The agents to which they send; all servers if absent.'),
  contenders: z.int().min(1).max(1000).describe('Number of contenders, each with a session of its own.'),
  locks: z.int().min(1).max(100).default(1).describe('Number of locks.'),
  ttl: duration.describe('TTL of the sessions; each is renewed three times in it.'),
  'lock delay': duration
    .default(15_000)
    .describe('The lock delay: how long a key of an ended session cannot be locked.'),
  hold: durationRange.default({ min: 500, max: 3000 }).describe('How long a lock is kept.'),
  asleep: chance
    .default(0)
    .describe('The chance that a holder is paused with its lock, and writes when its session has long ended.'),
  within: duration.optional().describe('Timeout of a request; 10s if absent.'),
})

export const locks = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'a group of contenders is named with small letters'],
  group: contenders,
  text: 'Clients that contend for locks: they create and renew sessions, lock keys and release them.',
  crews: [
    {
      machine: 'contenders',
      open: (group, { name, env, run }) => {
        const plan = {
          name,
          contenders: group.contenders,
          locks: group.locks,
          ttlMs: group.ttl,
          lockDelayMs: group['lock delay'],
          holdMs: group.hold,
          sleepChance: group.asleep,
          timeoutMs: group.within ?? answerWithinMs,
        }
        const { nowUs, decisions, server, invariants } = groupWorld(run, group)
        return new LockContenders(env, plan, { nowUs, decisions, agent: server, invariants })
      },
    },
  ],
})
