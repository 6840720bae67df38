import { compareText } from '../../src/base/bytes.ts'

/** Whether two answers, each a status and a body, differ in more than the order of the members of a list. */
export function hasOtherMembers(one: string, other: string): boolean {
  return one !== other && inOneOrder(one) !== inOneOrder(other)
}

/** An answer that is no list, nor an object, is left as it is. */
function inOneOrder(answer: string): string {
  const at = answer.indexOf(' ') + 1
  const json = jsonIn(answer.slice(at))
  if (typeof json !== 'object' || json === null) return answer
  const members = Array.isArray(json) ? json : Object.entries(json)
  const texts = members.map((member) => JSON.stringify(member)).toSorted(compareText)
  return `${answer.slice(0, at)}${texts.join()}`
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
