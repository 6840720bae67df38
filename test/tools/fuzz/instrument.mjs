import ts from 'typescript'

/**
 * Puts a counter at every place where the way through a module parts: bodies of functions, loops and catches, both arms of conditions,
 * clauses of a switch, and what stands right of `&&`, `||` and `??`. The counts of one input say which way it took, and their sum
 * how far that was, on whatever machine.
 *
 * `firstCounter` is the number of the first counter of this module. Returns the module's new text, how many counters it has, and the words
 * and numbers that its text holds, which mutations try.
 */
export function instrumented(fileName, text, firstCounter) {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS)
  const insertions = []
  const words = new Set()
  let counters = 0
  const count = () => `$k[${firstCounter + counters++}]++`
  const insert = (at, put, order) => insertions.push({ at, put, order })

  const block = (node, put = count()) => {
    if (ts.isBlock(node)) insert(node.getStart(source) + 1, `${put};`, 0)
    else {
      insert(node.getStart(source), `{${put};`, 0)
      insert(node.getEnd(), '}', 1)
    }
  }
  const expression = (node) => {
    insert(node.getStart(source), `(${count()},`, 0)
    insert(node.getEnd(), ')', 1)
  }
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) words.add(node.text)
    else if (ts.isNumericLiteral(node)) words.add(Number(node.text))
    else if (ts.isIfStatement(node)) {
      // What passes an `if` by has gone a way, too. Found before what ends inside it, so that it comes behind that.
      if (node.elseStatement === undefined) insert(node.getEnd(), ` else {${count()};}`, 1)
      block(node.thenStatement)
      if (node.elseStatement !== undefined && !ts.isIfStatement(node.elseStatement)) block(node.elseStatement)
    } else if (ts.isIterationStatement(node, false))
      block(node.statement, `${count()} < ${roundsMax} || globalThis.svcFuzz.endless()`)
    else if (ts.isCaseOrDefaultClause(node) && node.statements.length > 0)
      insert(node.statements[0].getStart(source), `${count()};`, 0)
    else if (ts.isCatchClause(node)) block(node.block)
    else if (ts.isConditionalExpression(node)) {
      expression(node.whenTrue)
      expression(node.whenFalse)
    } else if (ts.isBinaryExpression(node) && parting.has(node.operatorToken.kind)) expression(node.right)
    else if (ts.isFunctionLike(node) && node.body !== undefined) {
      if (ts.isBlock(node.body)) block(node.body)
      else expression(node.body)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { text: `${head(words, firstCounter, counters)}${applied(text, insertions)}`, counters }
}

/** Rounds of one loop for one input. Far more than any has; one that has no end is broken off, and that is a finding. */
const roundsMax = 1 << 24

const parting = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
])

/** In the first line, so that lines keep their numbers. */
function head(words, first, counters) {
  const few = [...words].filter((word) => (typeof word === 'number' ? Number.isInteger(word) : isWord(word)))
  return `const $k = globalThis.svcFuzz.counters;globalThis.svcFuzz.loaded(${first}, ${counters}, ${JSON.stringify(few)});`
}

/** Texts for people are no words of a format. */
function isWord(text) {
  return text.length > 0 && text.length <= 32 && !text.includes(' ') && !text.includes('/')
}

/**
 * At one place what ends a node comes before what begins the next one; of those that begin there the outer one comes first, which was
 * found first, and of those that end there the inner one.
 */
function applied(text, insertions) {
  const ordered = insertions
    .map((insertion, found) => ({ ...insertion, found }))
    .sort((a, b) => a.at - b.at || b.order - a.order || (a.order === 1 ? b.found - a.found : a.found - b.found))
  const pieces = []
  let done = 0
  for (const { at, put } of ordered) {
    pieces.push(text.slice(done, at), put)
    done = at
  }
  return `${pieces.join('')}${text.slice(done)}`
}
