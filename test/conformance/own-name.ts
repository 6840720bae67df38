const own = /svc/i

/** What may leave the process with our name in it under `names = "consul"`, each with its reason: 20 at most. */
export const allowed: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/\/svc\//g, 'a segment of SPIFFE IDs, the same in the field'],
  [/svc-sim/g, 'another program, of this product alone'],
  [/`svc`, or the name of the system/g, 'the setting names explains its two values'],
  [/\bsvc, or the name of\s+the\s+system/g, 'the flag -names explains its two values'],
  [/"(?:enum|default)":(?:\["svc","consul"\]|"svc")/g, 'the setting names lists its two values'],
]

/** The surroundings of each other place where a text has our name. */
export function strange(text: string): readonly string[] {
  const rest = allowed.reduce((left, [pattern]) => left.replace(pattern, ''), text)
  return rest
    .split('\n')
    .filter((line) => own.test(line))
    .map((line) => /.{0,60}svc.{0,60}/i.exec(line)?.[0] ?? line)
}
