import { z } from 'zod'
import { parseDuration } from '../../base/duration.ts'

/** Types that many keys have. */

export const duration = z.string().superRefine((text, context) => {
  const parsed = parseDuration(text)
  if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.error })
  else if (parsed.value < 0) context.addIssue({ code: 'custom', message: 'must not be negative' })
})

export const bool = z.boolean()
export const text = z.string()
export const texts = z.array(z.string())
export const port = z.int().max(65_535)
export const count = z.int().min(1)
export const whole = z.int()
export const notNegative = z.int().min(0)
/** RFC 1035, section 3.3.13: the fields of a SOA record are 32 bits wide. */
export const uint32 = z.int().min(0).max(0xffff_ffff)
/** Its content is checked by the code that will run it (`definitions.ts`). */
export const definition = z.looseObject({})
/** Names and values that people choose. */
export const pairs = z.record(z.string(), z.string())

/** It becomes part of header names and of a DNS domain. */
export const alias = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i, 'write letters and digits, with dashes between')

/** RFC 9110, section 5. Checked here, because the HTTP server cannot send anything else. */
export const headers = z.record(z.string(), z.string()).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)) continue
    const message = 'write a name of letters, digits and dashes, and a value of one line in ASCII'
    context.addIssue({ code: 'custom', path: [name], message })
  }
})
