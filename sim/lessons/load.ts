import type { z } from 'zod'
import { err, ok, type Result } from '../../src/base/result.ts'
import { parseYaml, type YamlDocument } from '../scenario/language/yaml-document.ts'
import { problemsOf } from './evidence.ts'
import { type Lesson, lessonSchema } from './lesson.ts'

/** Maximum number of problems that are shown for one file. */
const problemsMax = 10

/** Parses a lesson, or returns one line for each problem in it. */
export function loadLesson(file: string, text: string): Result<Lesson, readonly string[]> {
  const yaml = parseYaml(file, text, "a lesson is a map of keys: begin with 'lesson: a title'")
  if (!yaml.ok) return err(yaml.error.map(({ place, message }) => `${place}: ${message}`))
  const parsed = checked(yaml.value, lessonSchema)
  if (!parsed.ok) return parsed
  const problems = parsed.value.tasks.flatMap((task, at) =>
    task.kind === 'cause'
      ? problemsOf(task.evidence).map(([key, text]) => `${yaml.value.placeOf(['tasks', at, 'evidence', key])}: ${text}`)
      : [],
  )
  return problems.length === 0 ? parsed : err(problems)
}

/** The value of a document by its schema, or one line for each problem. */
export function checked<Schema extends z.ZodType>(
  document: YamlDocument,
  schema: Schema,
): Result<z.infer<Schema>, readonly string[]> {
  const parsed = schema.safeParse(document.value)
  if (parsed.success) return ok(parsed.data)
  return err(parsed.error.issues.slice(0, problemsMax).map((issue) => problemText(document, issue)))
}

function problemText(document: YamlDocument, { path, message }: z.core.$ZodIssue): string {
  const name = path.length === 0 ? '' : `'${path.map(String).join('.')}': `
  return `${document.placeOf(path)}: ${name}${message}`
}
