/** Kinds of failure of a request, as people read them. */
const words: Readonly<Record<string, string>> = {
  refused: 'nobody listens: the agent does not run, or has not started yet',
  timeout: 'no answer in time',
  unreachable: 'the agent cannot be reached',
  broken: 'the connection broke before there was an answer: the agent has stopped, or starts',
}

/** Why a request has no answer: `kind` is that of its failure, or words already. */
export function noAnswerWords(kind: string): string {
  return words[kind] ?? kind
}
