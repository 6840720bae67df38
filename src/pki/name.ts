import { type Der, objectId, sequence, setOf, tags, utf8Text } from './der.ts'
import type { DerReader } from './der-reader.ts'
import { ids } from './object-ids.ts'

/** Maximum number of attributes in one name. */
const attributesMax = 32

/** A name that consists of a common name. */
export function nameOf(commonName: string): Der {
  return sequence(setOf(sequence(objectId(ids.commonName), utf8Text(commonName))))
}

/** The last common name in the name, which is the most specific; empty if there is none. RFC 5280, section 4.1.2.4. */
export function commonNameIn(read: DerReader, name: Der | undefined, what: string): string {
  let found = ''
  let attributes = 0
  for (const relative of read.parts(name, tags.sequence, what)) {
    for (const attribute of read.parts(relative, tags.setOf, what)) {
      const [id, text] = read.parts(attribute, tags.sequence, what)
      if (text === undefined) read.fail(`its ${what} has an attribute without a value`)
      if (read.objectId(id, `${what}'s attribute`) === ids.commonName) found = read.words(text)
      if (++attributes > attributesMax) {
        read.fail(`its ${what} has more than ${attributesMax} attributes`)
        return ''
      }
    }
  }
  return found
}
