import { z } from 'zod'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { formatDuration } from '../../../src/base/duration.ts'
import { done, err, type Result } from '../../../src/base/result.ts'
import type { KeyKind } from '../../../src/env/crypto.ts'
import type { Env } from '../../../src/env/env.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import { pause } from '../../../src/model/pause.ts'
import { signRoot } from '../../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { signingUri } from '../../../src/pki/spiffe.ts'
import { meshLaws } from '../../checkers/mesh/mesh-laws.ts'
import { httpEndpoint } from '../../cluster/node-identity.ts'
import { duration, selector, template } from '../../notation/fields.ts'
import { wrongToken } from '../../secrets-manager/manager-machine.ts'
import { tokenHeaders } from '../../workload/key-client.ts'
import { filled, matches, patternOf } from '../answers.ts'
import { type StepRun, step } from './step.ts'

const wanted = z
  .strictObject({
    at: selector.describe('The node that the request is sent to.'),
    provider: z.string().default('svc'),
    key: z
      .enum(['ec-256', 'ec-384', 'ec-521', 'rsa-2048', 'rsa-4096', 'as before'])
      .default('as before')
      .describe('A new private key of this kind, and so another root; as before: the one of the last such step.'),
    'root lives': duration
      .optional()
      .describe('The operator also creates the root, with the new key and this lifetime; at least a year if absent.'),
    root: z
      .enum(['one', 'two', 'three', 'four', 'five', 'six'])
      .optional()
      .describe(
        'For provider vault: the name of the root in the secrets manager, which creates it with a key of the type that key names.',
      ),
    token: z
      .enum(['its own', 'hidden', 'wrong'])
      .default('its own')
      .describe(
        'For provider vault: hidden writes the mark that stands for the stored token, as reads show it; wrong is one that does not exist until everything is repaired.',
      ),
    options: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .default({})
      .describe('Further options of the configuration, or other values of those that the step has by itself.'),
    'leaf ttl': duration.default(259_200_000).describe('Lifetime of leaves.'),
    within: duration.default(60_000).describe('Failures without a leader are retried for this time.'),
    'not awaited': z.literal(true).optional().describe('The next step begins at once; any answer is accepted.'),
    refused: template.optional().describe('It must be refused with this reason: a text, or /a regular expression/.'),
  })
  .describe('Updates the configuration of the authority over HTTP, as svc connect ca set-config does.')

type Wanted = z.output<typeof wanted>

/** Timeout of an update: one that leads to a rotation is answered when the rotation is accepted. */
const answerWithinMs = 20_000
const askAgainMs = 500
/** Back-dating of a root that the operator creates. */
const backDatedMs = 3_600_000

interface Configuration {
  readonly provider: string
  readonly options: Readonly<Record<string, string | number | boolean>>
}

/** What reads show in place of a stored secret. */
const hiddenText = 'hidden'

/** Success, or the answer that came instead, in words. */
type Answered = Result<undefined, string>

/**
 * Updates the configuration of the authority, and judges the answer; an update answered with success must be in effect
 * (C5).
 */
async function performAuthority(run: StepRun, wanted: Wanted, path: readonly PropertyKey[]): Promise<void> {
  const at = run.select(wanted.at)[0]
  const here = [...path, 'authority']
  if (at === undefined) return run.fail(here, `'${wanted.at.text}' matches no node now`)
  const to = httpEndpoint(run.cluster.identityOf(at))
  const datacenter = run.cluster.datacenterOf(at)
  const mesh = run.checksOf(datacenter).of(meshLaws)
  const before = mesh?.configurations.count ?? 0
  let configuration: Configuration | undefined
  const asked = async (env: Env): Promise<Answered> => {
    const key = wanted.root === undefined ? await keyOf(run, env, { datacenter, kind: wanted.key }) : undefined
    const options = {
      LeafCertTTL: formatDuration(wanted['leaf ttl']),
      ...(key === undefined ? {} : { PrivateKey: key }),
      ...(await ownRoot(env, to, key, wanted)),
      ...(wanted.root === undefined ? {} : externalOptions(run, wanted.root, wanted.key)),
      ...(wanted.token === 'wrong' ? { Token: wrongToken } : {}),
      ...wanted.options,
    }
    configuration = { provider: wanted.provider, options }
    const sent = { ...options, ...(wanted.token === 'hidden' ? { Token: hiddenText } : {}) }
    return update(env, to, run.driver.operatorToken, { provider: wanted.provider, options: sent }, wanted)
  }
  const judged = (answered: Answered | undefined): void => {
    if (run.hasFailed()) return
    if (wanted['not awaited'] !== true)
      judgeAnswer(run, wanted, answered ?? err(`no answer within ${formatDuration(wanted.within)}`), here)
    const isDone = answered?.ok === true && configuration !== undefined
    if (isDone) run.invariants.judged('C5')
    if (!isDone || mesh?.configurations.includes(before, configuration as Configuration) !== false) return
    run.invariants.report(
      'C5',
      `${at} acknowledged an update, but the authority was never configured so, and no change to it was accepted`,
    )
  }
  const withinMs = wanted.within + answerWithinMs
  if (wanted['not awaited'] === true) {
    run.driver.begin(asked, judged)
    run.tell('note', `${at} is asked, and not waited for`)
  } else judged(await run.driver.perform(run, withinMs, asked))
}

/** A root that the operator has created elsewhere for the same mesh. */
async function ownRoot(
  env: Env,
  to: Endpoint,
  privateKey: string | undefined,
  { 'root lives': forMs, within }: Wanted,
): Promise<{ readonly RootCert?: string }> {
  const key = forMs === undefined || privateKey === undefined ? undefined : env.crypto.readSigningKey(privateKey)
  if (key === undefined || forMs === undefined) return {}
  const trustDomain = await trustDomainAt(env, to, within)
  const nowMs = env.clock.wallMs()
  const root = signRoot(env.crypto, key, {
    serial: BigInt(nowMs),
    commonName: "The operator's CA",
    uri: signingUri(trustDomain),
    notBeforeMs: nowMs - backDatedMs,
    notAfterMs: nowMs + forMs,
  })
  return { RootCert: certificatePem(root) }
}

/** Empty: no server could answer within the time limit, and none would accept an update either. */
async function trustDomainAt(env: Env, to: Endpoint, withinMs: number): Promise<string> {
  const asked = { method: 'GET', target: '/v1/connect/ca/roots', timeoutMs: answerWithinMs }
  const untilMs = env.clock.monoMs() + withinMs
  do {
    const answer = await env.http.request(to, asked)
    if (answer.ok && answer.value.status === 200) {
      return (JSON.parse(textOf(answer.value.body)) as { readonly TrustDomain: string }).TrustDomain
    }
    await pause(env, askAgainMs)
  } while (env.clock.monoMs() < untilMs)
  return ''
}

/** The key stays in the secrets manager: only its type is given. */
function externalOptions(run: StepRun, root: string, key: Wanted['key']): Readonly<Record<string, string>> {
  const [type = '', bits = ''] = key.split('-')
  const kind = key === 'as before' ? {} : { PrivateKeyType: type, PrivateKeyBits: bits }
  return { ...run.cluster.secretsManager?.optionsOf(root), ...kind }
}

/** The run keeps the key of the last update, for an update that leaves it unchanged. */
async function keyOf(
  run: StepRun,
  env: Env,
  { datacenter, kind }: { readonly datacenter: string; readonly kind: KeyKind | 'as before' },
): Promise<string | undefined> {
  const keyName = `key of the authority of ${datacenter}`
  if (kind === 'as before') return run.driver.kept.get(keyName)
  const { privateKeyPem } = await env.crypto.generateKey(kind)
  run.driver.kept.set(keyName, privateKeyPem)
  return privateKeyPem
}

function judgeAnswer(run: StepRun, wanted: Wanted, answered: Answered, path: readonly PropertyKey[]): void {
  if (wanted.refused === undefined) {
    if (!answered.ok) return run.fail(path, answered.error)
    return run.tell('note', 'the authority is configured so')
  }
  const said = answered.ok ? 'done' : answered.error
  const expected = filled(run, wanted.refused)
  const isMet = patternOf(expected) === undefined ? said.includes(expected) : matches(expected, said)
  if (!isMet) run.fail(path, `it is not refused with that reason: ${said}`)
}

/** Success, or the last answer. The same update may be repeated, because it may have taken effect already. */
async function update(
  env: Env,
  to: Endpoint,
  token: string,
  { provider, options }: Configuration,
  wanted: Wanted,
): Promise<Answered> {
  const body = utf8(JSON.stringify({ Provider: provider, Config: options }))
  const request = { method: 'PUT', target: '/v1/connect/ca/configuration', body, timeoutMs: answerWithinMs }
  const untilMs = env.clock.monoMs() + wanted.within
  let last = 'no answer'
  do {
    const answer = await env.http.request(to, { ...request, headers: tokenHeaders(token) })
    if (answer.ok) {
      const { status } = answer.value
      if (status === 200) return done
      last = `status ${status}, ${textOf(answer.value.body).trim()}`
      if (status < 500 || wanted.refused !== undefined) return err(last)
    } else last = answer.error.kind
    await pause(env, askAgainMs)
  } while (env.clock.monoMs() < untilMs)
  return err(last)
}

export const authority = step(wanted, performAuthority)
