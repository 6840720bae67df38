import { fromBase64, utf8 } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { releaseText } from '../../../src/model/release.ts'
import { clientHost, dnsEndpoint, httpEndpoint } from '../../cluster/node-identity.ts'
import { type ActionScope, selectable } from '../../faults/action-scope.ts'
import { select } from '../../notation/selection.ts'
import type { Selector } from '../../notation/selector.ts'
import { exchangeDns } from '../../workload/dns-client.ts'
import type { Answer } from '../answers.ts'
import type { StepRun } from '../steps/step.ts'
import type { ActKind, PlayedAct } from './played-schema.ts'
import { type CommandEnded, runCommand } from './svc-command.ts'

/** A run, as acts see it. */
export interface PlayedRun extends Omit<StepRun, 'workload'> {
  passUntil(isSo: () => boolean, spanMs: number): Promise<boolean>
}

/** What an act that asks something was told; a string says why it was told nothing. */
export type Told =
  | { readonly kind: 'http'; readonly answer: Answer | string }
  | { readonly kind: 'dns'; readonly answer: Uint8Array | string }
  | { readonly kind: 'svc'; readonly answer: CommandEnded }

/** Virtual time that a request may take: a blocking query waits ten minutes and a sixteenth. */
const answerWithinMs = 900_000
const dnsWithinMs = 10_000

interface Acting {
  readonly run: PlayedRun
  readonly scope: ActionScope
  /** Called in a turn of the run, later. */
  readonly told: (told: Told) => void
}

type Perform<Kind extends ActKind> = (acting: Acting, given: NonNullable<PlayedAct[Kind]>) => Result<string, string>

const kinds: { readonly [Kind in ActKind]: Perform<Kind> } = {
  do: ({ run, scope }, action) => run.injector.perform(action, scope),
  mend: ({ run, scope }) => {
    run.simulation.decisions.because(scope.draw, () => run.injector.mendEverything())
    return ok('mend everything')
  },
  http: (acting, { at, request, headers = {}, body, 'body base64': encoded }) =>
    atNode(acting, at, (node) => {
      const [method = 'GET', target = '/'] = request.split(' ', 2)
      const bodyBytes = encoded === undefined ? utf8(body ?? '') : fromBase64(encoded)
      if (bodyBytes === undefined) return err('its body is not base64')
      const sent = { method, target, headers: Object.entries(headers), token: '', timeoutMs: answerWithinMs, bodyBytes }
      const to = httpEndpoint(acting.run.cluster.identityOf(node))
      acting.run.driver.send(to, sent, (answer) => acting.told({ kind: 'http', answer }))
      return ok(`${request} at ${node}`)
    }),
  dns: (acting, { at, packet, over, asks }) =>
    atNode(acting, at, (node) => {
      const bytes = fromBase64(packet)
      if (bytes === undefined) return err('its packet is not base64')
      const to = dnsEndpoint(acting.run.cluster.identityOf(node))
      acting.run.driver.begin(
        (env) => exchangeDns(env, clientHost(1), to, bytes, { over, timeoutMs: dnsWithinMs }),
        (answer) => acting.told({ kind: 'dns', answer }),
      )
      return ok(`DNS question${asks === undefined ? '' : ` ${asks}`} at ${node}`)
    }),
  svc: (acting, { at, args, input }) =>
    atNode(acting, at, (node) => {
      const to = httpEndpoint(acting.run.cluster.identityOf(node))
      const { driver } = acting.run
      driver.begin(
        (env) => runCommand(env, to, { args, input, request: (...asked) => driver.request(...asked) }),
        (answer) => acting.told({ kind: 'svc', answer }),
      )
      return ok(`svc ${args.join(' ')} at ${node}`)
    }),
  upgrade: (acting, { node: selector, to }) =>
    atNode(acting, selector, (node) => {
      const refusal = started(acting, () => acting.run.cluster.orders.upgrade(node, to, (settings) => settings))
      return ok(refusal === undefined ? `${node} starts as ${releaseText(to)}` : `${node} does not start: ${refusal}`)
    }),
  configure: (acting, { node: selector, config, without = [] }) =>
    atNode(acting, selector, (node) => {
      const refusal = started(acting, () =>
        acting.run.cluster.orders.upgrade(node, undefined, (settings) =>
          Object.fromEntries(Object.entries({ ...settings, ...config }).filter(([name]) => !without.includes(name))),
        ),
      )
      return ok(refusal === undefined ? `${node} starts with other settings` : `${node} does not start: ${refusal}`)
    }),
}

/**
 * Does an act, between two turns; `number` is its place in the list. In words what was done, or why it cannot be: then
 * nothing has changed.
 */
export function performAct(
  run: PlayedRun,
  act: PlayedAct,
  number: number,
  told: (told: Told) => void,
): Result<string, string> {
  const { decisions } = run.simulation
  const draw = decisions.drawsWithin(decisions.identity('played', number), 'act')
  const scope = { it: undefined, saved: () => undefined, draw }
  const acting: Acting = { run, scope, told }
  for (const [name, perform] of Object.entries(kinds)) {
    const given = act[name as ActKind]
    if (given !== undefined)
      return (perform as (acting: Acting, given: unknown) => Result<string, string>)(acting, given)
  }
  return err('it does nothing')
}

function started({ run, scope }: Acting, start: () => string | undefined): string | undefined {
  return run.simulation.decisions.because(scope.draw, start)
}

function atNode(
  { run, scope }: Acting,
  selector: Selector,
  act: (node: string) => Result<string, string>,
): Result<string, string> {
  const [node] = select(selector, selectable(run.cluster, scope))
  return node === undefined ? err(`'${selector.text}' matches no node now`) : act(node)
}
