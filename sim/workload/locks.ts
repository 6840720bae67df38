import { z } from 'zod'
import { chance, duration, durationRange, selector } from '../notation/fields.ts'
import { answerWithinMs, groupWorld } from './asked-agents.ts'
import { workloadKind } from './kind.ts'
import { LockContenders } from './lock-contenders.ts'

const contenders = z.strictObject({
  at: selector.optional().describe('Which agents they ask; all servers if absent.'),
  contenders: z.int().min(1).max(1000).describe('How many want the locks, each with a session of its own.'),
  locks: z.int().min(1).max(100).default(1).describe('How many locks they contend for.'),
  ttl: duration.describe("The sessions' time to live; each is renewed three times in it."),
  'lock delay': duration.default(15_000).describe('How long a key of an ended session cannot be locked.'),
  hold: durationRange.default({ min: 500, max: 3000 }).describe('How long a lock is kept.'),
  asleep: chance
    .default(0)
    .describe('The chance that a holder falls asleep with its lock, and writes when its session has long ended.'),
  within: duration.optional().describe('How long a client waits for an answer; 10s if absent.'),
})

export const locks = workloadKind({
  names: [/^[a-z][a-z0-9 -]*$/, 'a group of contenders is named with small letters'],
  group: contenders,
  text: 'Clients that contend for locks all the time: they create sessions, renew them, lock keys and give them up.',
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
