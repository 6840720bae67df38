/** An element of XML, with its entities decoded. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

const attributesOf: Readonly<Record<string, { readonly needs: readonly string[]; readonly may: readonly string[] }>> = {
  testsuites: { needs: [], may: ['name', 'time', 'tests', 'failures', 'errors', 'disabled'] },
  testsuite: {
    needs: ['name', 'tests', 'failures', 'errors'],
    may: ['skipped', 'time', 'timestamp', 'hostname', 'id', 'package', 'file'],
  },
  testcase: { needs: ['name', 'classname'], may: ['time', 'file', 'line', 'assertions', 'status'] },
  failure: { needs: [], may: ['type', 'message'] },
  error: { needs: [], may: ['type', 'message'] },
}

const childrenOf: Readonly<Record<string, readonly string[]>> = {
  testsuites: ['testsuite'],
  testsuite: ['testcase'],
  testcase: ['failure', 'error'],
  failure: [],
  error: [],
}

/**
 * What a reader of JUnit reports would stumble over: elements and attributes are those of the schema that Jenkins
 * publishes (junit-10.xsd), as far as it has them for suites and cases, and `file`, which GitLab reads, too.
 */
export function junitProblems(text: string): readonly string[] {
  let root: Element
  try {
    root = parseXml(text)
  } catch (cause) {
    return [String(cause)]
  }
  return [...(root.name === 'testsuites' ? [] : [`the root is ${root.name}`]), ...elementProblems(root)]
}

function elementProblems(element: Element): readonly string[] {
  const { name, attributes, children } = element
  const known = attributesOf[name]
  if (known === undefined) return [`there is no element ${name}`]
  const missing = known.needs.filter((each) => attributes[each] === undefined)
  const unknown = Object.keys(attributes).filter((each) => ![...known.needs, ...known.may].includes(each))
  const strange = children.filter((child) => !childrenOf[name]?.includes(child.name))
  return [
    ...missing.map((each) => `${name} has no ${each}`),
    ...unknown.map((each) => `${name} has ${each}`),
    ...strange.map((child) => `${name} has ${child.name} in it`),
    ...(name === 'testsuite' ? countProblems(element) : []),
    ...children.flatMap(elementProblems),
  ]
}

function countProblems({ attributes, children }: Element): readonly string[] {
  const having = (name: string): number =>
    children.filter((one) => one.children.some((each) => each.name === name)).length
  const counts = { tests: children.length, failures: having('failure'), errors: having('error') }
  return Object.entries(counts).flatMap(([name, count]) =>
    attributes[name] === String(count) ? [] : [`${name} says ${attributes[name]}, and there are ${count}`],
  )
}

/**
 * A strict reader of the XML that reports are made of: no comments, no entities of their own, nothing that is not well
 * formed.
 */
export function parseXml(text: string): Element {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML does not have
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text))
    throw new Error('a character that is not of XML')
  const body = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n([\s\S]*)$/.exec(text)?.[1]
  if (body === undefined) throw new Error('no declaration')
  const top: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  const token = /<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/y
  while (token.lastIndex < body.length) {
    const at = token.lastIndex
    const [match, closes, name, attributes = '', isEmpty, plain] = token.exec(body) ?? []
    const inner = open.at(-1)
    if (match === undefined || inner === undefined) throw new Error(`not well formed: ${body.slice(at, at + 60)}`)
    if (plain !== undefined) inner.text += decoded(plain)
    else if (closes === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element`)
    } else {
      const element: Element = { name: name ?? '', attributes: attributesIn(attributes), children: [], text: '' }
      inner.children.push(element)
      if (isEmpty !== '/') open.push(element)
    }
  }
  const [root, ...more] = top.children
  if (root === undefined || more.length > 0 || open.length > 1) throw new Error('not one element that is closed')
  return root
}

function attributesIn(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/ ([a-z]+)="([^"]*)"/g)]
  const names = found.map(([, name]) => name)
  if (new Set(names).size < names.length) throw new Error(`an attribute twice:${text}`)
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, decoded(value)]))
}

function decoded(text: string): string {
  return text.replace(/&([^;]*);?/g, (_, name: string) => {
    if (/^#\d+$/.test(name)) return String.fromCodePoint(Number(name.slice(1)))
    const one = { amp: '&', lt: '<', gt: '>', quot: '"' }[name]
    if (one === undefined) throw new Error(`no such entity: &${name.slice(0, 20)}`)
    return one
  })
}
