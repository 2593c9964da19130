declare module '*.module.css' {
  const names: Readonly<Record<string, string>>;
  // The bundler gives the class names of a module as its default export.
  // eslint-disable-next-line no-restricted-exports
  export default names;
}

declare module '*.css';
