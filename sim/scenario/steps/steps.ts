import type { z } from 'zod'
import { peersJson, reload } from './agent-files.ts'
import { authority } from './authority.ts'
import { remember, save, workload } from './kept.ts'
import { http } from './requests.ts'
import type { StepKind } from './step.ts'
import { together } from './together.ts'
import { tokens } from './tokens.ts'
import { upgrade } from './upgrades.ts'
import { always, eventually, expect, never, wait } from './waits.ts'

/** What a step can do besides changing the cluster, by its key in scenario files, in the order of the language page. */
const steps = {
  wait,
  http,
  save,
  remember,
  tokens,
  authority,
  reload,
  upgrade,
  'peers.json': peersJson,
  workload,
  eventually,
  always,
  never,
  together,
  expect,
}

type Steps = typeof steps
type Shape = { readonly [Key in keyof Steps]: z.ZodOptional<Steps[Key]['schema']> }

export const stepKinds: Readonly<Record<string, StepKind>> = steps

/** The keys of a step, of which it has one. */
export const stepShape = Object.fromEntries(
  Object.entries(steps).map(([key, { schema }]) => [key, schema.optional()]),
) as unknown as Shape
