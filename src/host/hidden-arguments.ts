/** Flags whose values are secrets, or may hold some. */
const secretFlag = /^--?(encrypt|hcl|retry-join(?:-wan)?|token|http-token|acl-.*)$/

/** The arguments of a program as others may see them: values of flags that may be secrets read `<hidden>`. */
export function hiddenArguments(argv: readonly string[]): readonly string[] {
  return argv.map((argument, at) => {
    const flag = /^(--?[\w-]+)=/.exec(argument)?.[1]
    if (flag !== undefined) return secretFlag.test(flag) ? `${flag}=<hidden>` : argument
    return at > 0 && secretFlag.test(argv[at - 1] ?? '') ? '<hidden>' : argument
  })
}
