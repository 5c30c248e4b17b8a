import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  fallback: ReactNode;
  /** Names what is shown: another one is tried again. */
  resetKey?: string;
  children: ReactNode;
}

/** Shows something else when what is below cannot be shown. React writes what was thrown to the console, from where it reaches the diagnostics. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean; resetKey: string | undefined }> {
  override state = { failed: false, resetKey: this.props.resetKey };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  static getDerivedStateFromProps({ resetKey }: ErrorBoundaryProps, state: { resetKey: string | undefined }) {
    return resetKey === state.resetKey ? null : { failed: false, resetKey };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
