import parser from 'js-hcl-parser'

/**
 * What the field's own parser, translated from its Go, makes of the text; undefined where it refuses it. The oracle.
 */
export function fieldValue(text: string): unknown {
  try {
    return JSON.parse(parser.parse(text))
  } catch {
    return undefined
  }
}
