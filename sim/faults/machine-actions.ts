import { z } from 'zod'
import { err, ok } from '../../src/base/result.ts'
import { type WebState, webStates } from '../cluster/web-servers.ts'
import { percentRange, selector, signedDurationRange } from '../notation/fields.ts'
import { type Trouble, troubles } from '../secrets-manager/troubles.ts'
import { drawRange } from './action-scope.ts'
import { action } from './fault-world.ts'

export const clockRate = action(
  z
    .strictObject({ nodes: selector, rate: percentRange })
    .describe('Clocks of these nodes run faster or slower than true time by this rate.'),
  (world, { nodes, rate }, scope) =>
    world.each(nodes, 'clock rate', scope, (node) => world.rates.lay(node, drawRange(scope.draw, rate))),
)

export const stepClock = action(
  z.strictObject({ nodes: selector, by: signedDurationRange }).describe('The wall clocks of these nodes jump.'),
  (world, { nodes, by }, scope) =>
    world.once(nodes, 'step clock', scope, (node) => world.machines.stepClock(node, drawRange(scope.draw, by))),
)

const troublesText = Object.entries(troubles)
  .map(([trouble, what]) => `${trouble} ${what}`)
  .join(', ')

export const secretsManager = action(
  z
    .enum(Object.keys(troubles) as [Trouble, ...Trouble[]])
    .describe(`State of the secrets manager from now on: ${troublesText}.`),
  ({ cluster }, trouble) => {
    if (cluster.secretsManager === undefined) return err('secrets manager: there is none')
    const undo = cluster.secretsManager.suffer(trouble)
    return ok({ text: `the secrets manager is ${trouble}`, undo })
  },
)

const statesText = Object.entries(webStates)
  .map(([state, what]) => `${state} ${what}`)
  .join(', ')

export const webServer = action(
  z
    .strictObject({
      at: selector,
      is: z.enum(Object.keys(webStates) as [WebState, ...WebState[]]),
    })
    .describe(`State of the web servers on the machines of these nodes from now on: ${statesText}.`),
  (world, { at, is }, scope) => {
    const lacking = world.select(at, scope).find((node) => !world.cluster.webServers.has(node))
    if (lacking !== undefined) return err(`web server: there is none on ${lacking}`)
    const deed = world.each(at, 'web server of', scope, (node) => world.webStates.lay(node, is))
    return deed.ok ? ok({ ...deed.value, text: `${deed.value.text} is ${is}` }) : deed
  },
)
