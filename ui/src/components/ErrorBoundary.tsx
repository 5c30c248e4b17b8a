import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  fallback: ReactNode;
  /** What is shown; another one is tried again. */
  of?: string;
  children: ReactNode;
}

/** Shows something else when what is below cannot be shown. React writes what was thrown to the console, from where it reaches the diagnostics. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean; of: string | undefined }> {
  override state = { failed: false, of: this.props.of };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  static getDerivedStateFromProps({ of }: ErrorBoundaryProps, state: { of: string | undefined }) {
    return of === state.of ? null : { failed: false, of };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
