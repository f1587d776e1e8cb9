import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')
export const files = globSync('{src,demo,clients,test,bench}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })
export const imports = files.flatMap(importsOf)

/** An import. `from` and `to` are paths relative to the repository's root; `to` can also be the name of a package. */
export interface Import {
  from: string
  to: string
  kind: 'own' | 'package' | 'builtin'
}

/** Returns static, dynamic and type imports as the compiler sees them. */
function importsOf(from: string): Import[] {
  return ts.preProcessFile(textOf(from), true, true).importedFiles.map(({ fileName }) => {
    if (fileName.startsWith('.')) {
      return { from, to: relative(root, join(root, dirname(from), fileName)).replaceAll('\\', '/'), kind: 'own' }
    }
    return { from, to: fileName, kind: isBuiltin(fileName) ? 'builtin' : 'package' }
  })
}

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/**
 * Returns each import cycle once, as `a → b → a`. Type-only imports count too: they don't exist at run time, but
 * readers have to follow them.
 */
export function circles(): string[] {
  const own = imports.filter(({ kind }) => kind === 'own')
  const next = Map.groupBy(own, ({ from }) => from)
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, way: string[]): void => {
    const at = way.indexOf(file)
    if (at >= 0) found.push([...way.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const { to } of next.get(file) ?? []) walk(to, [...way, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  return found
}
