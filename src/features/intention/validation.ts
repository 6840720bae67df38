import { err, ok, type Result } from '../../base/result.ts'
import { metadataKeyMax, metadataPairsMax, metadataValueMax } from '../../model/limits.ts'
import type { Naming } from '../../model/naming/naming.ts'
import { severalErrors } from '../../model/several-errors.ts'
import type { Action, IntentionContent } from './model.ts'
import { type Place, wildcard } from './place.ts'

/** Maximum length of a name, of a namespace, and of the unused address. The field has no such limit. */
export const intentionNameMax = 512

/** The members of a body before validation: arbitrary texts. */
export interface IntentionSaid extends Omit<IntentionContent, 'action'> {
  readonly action: string
  readonly sourceType: string
}

/**
 * Validates an intention. The error lists all problems, in the field's words and their order. Reference:
 * mesh.md#intentions.
 */
export function contentOf({ sourceType, ...said }: IntentionSaid, naming: Naming): Result<IntentionContent, string> {
  const action = actionOf(said.action)
  const problems = [
    ...emptyPlaces(said),
    ...wildcardProblems('Source', said.source),
    ...wildcardProblems('Destination', said.destination),
    ...lengthProblems(said),
    ...metaProblems(said.meta),
    ...(action === undefined ? ["Action must be set to 'allow' or 'deny'"] : []),
    ...(sourceType === naming.name ? [] : [`SourceType must be set to '${naming.name}'`]),
    ...(isPort(said.defaultPort) ? [] : ['DefaultPort must be between 0 and 65535']),
  ]
  if (action !== undefined && problems.length === 0) return ok({ ...said, action })
  return err(severalErrors(problems))
}

type Said = Omit<IntentionSaid, 'sourceType'>

function actionOf(text: string): Action | undefined {
  return text === 'allow' || text === 'deny' ? text : undefined
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65_535
}

function placeTexts({ source, destination }: Said): readonly (readonly [member: string, text: string])[] {
  return [
    ['SourceNS', source.namespace],
    ['SourceName', source.name],
    ['DestinationNS', destination.namespace],
    ['DestinationName', destination.name],
  ]
}

function emptyPlaces(said: Said): readonly string[] {
  return placeTexts(said).flatMap(([member, text]) => (text === '' ? [`${member} must be set`] : []))
}

function wildcardProblems(end: 'Source' | 'Destination', { namespace, name }: Place): readonly string[] {
  const isPartial = (text: string): boolean => text !== wildcard && text.includes(wildcard)
  const partial = `wildcard character '${wildcard}' cannot be used with partial values`
  return [
    ...(isPartial(namespace) ? [`${end}NS: ${partial}`] : []),
    ...(isPartial(name) ? [`${end}Name: ${partial}`] : []),
    ...(namespace === wildcard && name !== wildcard
      ? [`${end}Name: exact value cannot follow wildcard namespace`]
      : []),
  ]
}

function lengthProblems(said: Said): readonly string[] {
  const named = [...placeTexts(said), ['DefaultAddr', said.defaultAddress] as const]
  const tooLong = named.flatMap(([member, text]) =>
    text.length > intentionNameMax ? [`${member} exceeds maximum length ${intentionNameMax}`] : [],
  )
  if (said.description.length <= metadataValueMax) return tooLong
  return [...tooLong, `Description exceeds maximum length ${metadataValueMax}`]
}

/** If there are too many pairs, the message says only that; an overlong key is not shown whole. */
function metaProblems(meta: IntentionContent['meta']): readonly string[] {
  if (meta.length > metadataPairsMax) return [`Meta exceeds maximum element count ${metadataPairsMax}`]
  return meta.flatMap(([key, value]) => {
    const shown = JSON.stringify(key.slice(0, metadataKeyMax))
    return [
      ...(key.length > metadataKeyMax ? [`Meta key ${shown} exceeds maximum length ${metadataKeyMax}`] : []),
      ...(value.length > metadataValueMax
        ? [`Meta value for key ${shown} exceeds maximum length ${metadataValueMax}`]
        : []),
    ]
  })
}
