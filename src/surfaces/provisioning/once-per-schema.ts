import type { TSchema } from 'typebox'

/** Compiles each schema on first use, once per process. */
export function oncePerSchema<Compiled>(compile: (schema: TSchema) => Compiled): (schema: TSchema) => Compiled {
  const compiled = new WeakMap<TSchema, Compiled>()
  return (schema) => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    const made = compile(schema)
    compiled.set(schema, made)
    return made
  }
}
